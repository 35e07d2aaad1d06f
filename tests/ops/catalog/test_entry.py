# SPDX-License-Identifier: Apache-2.0
"""How an op is shown: a layer as one thing, an example with what the rule makes of it."""

from __future__ import annotations

import pytest

from typedtensors.ops import Array, Example, Module, example, lookup, rules
from typedtensors.ops.catalog.entry import Entry, entries, entries_of, entry_of, packages
from typedtensors.ops.catalog.examples import described
from typedtensors.ops.registry import home


def test_a_layer_is_one_entry_with_its_parameters_and_its_input() -> None:
    linear = entry_of("torch.nn.Linear")
    assert (linear.name, linear.inputs) == ("torch.nn.Linear", "input")
    assert linear.params.startswith("in_features, out_features")
    assert entries_of(["torch.nn.Linear", "torch.nn.Linear.forward"]) == [linear]
    assert next(linear.examples()) == "torch.nn.Linear(i, o)(float32[b i]) -> float32[b o]"


def test_an_op_is_one_entry_in_all_spellings() -> None:
    assert entries_of(["torch.bmm", "torch.Tensor.bmm"]) == [entry_of("torch.bmm")]
    assert entry_of("torch.bmm").names == ("torch.bmm", "torch.Tensor.bmm")


def test_what_has_no_rule_has_no_entry() -> None:
    with pytest.raises(KeyError):
        entry_of("torch.no_such_op")


def test_every_rule_of_a_family_is_in_an_entry() -> None:
    shown = {rule for entry in entries() for rule in (entry.rule, entry.construct)}
    # A layer is called by two names, `forward` and `__call__`, which share a rule.
    assert {rule for rule in rules() if home(rule)} <= shown
    assert packages(entries())["torch"] > 900


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_shows_a_call_that_fits(entry: Entry) -> None:
    results = [text.rpartition(" -> ")[2] for text in entry.examples()]
    assert any(not result.startswith(("unknown", "error")) for result in results)


@pytest.mark.parametrize(
    ("op", "call", "arguments", "result"),
    [
        ("torch.sum", example(Array("b n"), -1), "(float32[b n], -1)", "float32[b]"),
        ("torch.sum", example(Array("*a n"), dim=-1), "(float32[*a n], dim=-1)", "float32[*a]"),
        ("torch.abs", example(Array("n"), "?"), "(float32[n], '?')", "unknown"),
        (
            "torch.bmm",
            example(Array("b n"), Array("n")),
            "(float32[b n], float32[n])",
            "error [tensor-rank]",
        ),
        (
            "torch.topk",
            example(Array("b n", "Int64"), 2),
            "(int64[b n], 2)",
            "(int64[b 2], int64[b 2])",
        ),
        (
            "torch.cat",
            example([Array("n"), Array("m")]),
            "([float32[n], float32[m]])",
            "float32[m+n]",
        ),
        (
            "torch.Tensor.__getitem__",
            example(Array("b n"), (slice(1, None), None, ...)),
            "(float32[b n], (1:, None, ...))",
            "float32[b-1 1 n]",
        ),
        (
            "torch.nn.Sequential.forward",
            example(Array("b 4")).on(Module("torch.nn.Linear", 4, 8)),
            "(torch.nn.Linear(4, 8))(float32[b 4])",
            "float32[b 8]",
        ),
    ],
)
def test_an_example_is_told_with_its_result(
    op: str, call: Example, arguments: str, result: str
) -> None:
    rule = lookup(op)
    assert rule is not None
    assert described(rule, op, call) == f"{op.removesuffix('.forward')}{arguments} -> {result}"
