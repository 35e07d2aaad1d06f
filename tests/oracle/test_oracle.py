# SPDX-License-Identifier: Apache-2.0
"""The oracle itself: it sees what is wrong, and only that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.oracle.agreement import disagreements
from tests.oracle.claims import Checked
from tests.oracle.judge import judge
from tests.oracle.programs import Outcome, Program
from typedtensors.ops import Value
from typedtensors.shapes import DType, Shape, Tensor

HEADER = """\
import torch
from jaxtyping import Float
from torch import Tensor, nn

"""
SOURCE = """
def scores(x: Float[Tensor, "b n d"], weight: Float[Tensor, "d k"]) -> Float[Tensor, "b k"]:
    count = x.shape[1] * 2
    folded = x.sum(1)
    return (folded @ weight) / count
"""


def run(source: str, folder: Path) -> Outcome:
    (outcome,) = Program(folder, {"main": HEADER + source}).run()
    return outcome


def told(outcome: Outcome, code: str, value: Value) -> list[str]:
    """What the oracle says if the interpreter had found another value for one expression."""
    lines = outcome.source.splitlines()
    claims = {}
    for function, each in outcome.checked.claims.items():
        claims[function] = [replace(said, expressions=dict(said.expressions)) for said in each]
        for said in claims[function]:
            for (kind, line, start, last, end), seen in said.expressions.items():
                if line == last and lines[line - 1][start:end] == code:
                    changed = [replace(one, value=value) for one in seen]
                    said.expressions[kind, line, start, last, end] = changed
    return list(judge(outcome.recorder, Checked([], claims).claims).wrong.values())


@pytest.mark.parametrize(
    ("code", "value"),
    [
        pytest.param("x.sum(1)", Tensor(Shape.of("b", "k")), id="another-dim"),
        pytest.param("x.sum(1)", Tensor(Shape.of("b", 2)), id="a-literal"),
        pytest.param("x.sum(1)", Tensor(Shape.of("b")), id="too-few-axes"),
        pytest.param("x.sum(1)", Tensor(Shape.of("b", "d"), DType.exactly("int64")), id="dtype"),
        pytest.param("x.shape[1] * 2", Shape.of("n").axes[0].dim * 3, id="a-size"),
        pytest.param("x.sum(1)", None, id="none"),
    ],
)
def test_a_wrong_claim_is_found(code: str, value: Value, tmp_path: Path) -> None:
    outcome = run(SOURCE, tmp_path)
    assert outcome.judgement.wrong == {}
    assert len(told(outcome, code, value)) == 1


def test_every_expression_of_a_plain_function_is_verified(tmp_path: Path) -> None:
    outcome = run(SOURCE, tmp_path)
    assert outcome.judgement.coverage == 1
    assert outcome.judgement.lost == {}
    assert len(outcome.judgement.arrays & outcome.judgement.verified) == 7


def test_what_is_not_known_is_not_covered(tmp_path: Path) -> None:
    source = """
def chosen(x: Float[Tensor, "n d"]) -> Float[Tensor, "m d"]:
    rows = x[x.sum(1) > 0]
    return torch.special.some_day(rows) if len(rows) == 1 else rows * 2
"""
    judgement = run(source, tmp_path).judgement
    assert judgement.wrong == {}
    assert 0 < judgement.coverage < 1


def test_a_round_of_a_loop_has_sizes_of_its_own(tmp_path: Path) -> None:
    source = """
def grow(x: Float[Tensor, "n d"]) -> None:
    for size in range(3, 30):
        row = torch.zeros(size)
        wide = row.expand(2, size)
        x = torch.cat([x, x])[:size]
"""
    judgement = run(source, tmp_path).judgement
    assert judgement.wrong == {}
    assert judgement.arrays


def test_an_error_that_the_run_does_not_have_is_told(tmp_path: Path) -> None:
    outcome = run("def f(x: Float[Tensor, 'n m']) -> Tensor:\n    return x + x.sum(0)\n", tmp_path)
    assert disagreements(outcome) == []
    checked = replace(outcome.checked, findings=run(WRONG, tmp_path).checked.findings)
    (text,) = disagreements(replace(outcome, checked=checked))
    assert "the run goes on" in text


WRONG = "def f(x: Float[Tensor, 'n m']) -> Tensor:\n    return x + x.sum(1)\n"


def test_an_error_that_only_the_run_has_is_told(tmp_path: Path) -> None:
    outcome = run(WRONG, tmp_path)
    assert disagreements(outcome) == []
    (text,) = disagreements(replace(outcome, checked=replace(outcome.checked, findings=[])))
    assert "nothing is reported" in text


def test_a_program_goes_on_after_each_mistake(tmp_path: Path) -> None:
    source = """
def f(x: Float[Tensor, "n d"], y: Float[Tensor, "m"]) -> Float[Tensor, "d"]:
    wrong = x + y
    silent = wrong * 2
    x @ x
    return y
"""
    outcome = run(source, tmp_path)
    assert len(outcome.recorder.failures) == 3
    assert disagreements(outcome) == []
