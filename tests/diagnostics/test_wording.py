# SPDX-License-Identifier: Apache-2.0
"""The exact words: a change of voice shows up here, in one place."""

from __future__ import annotations

import pytest

from typedtensors.diagnostics import Diagnostic, codes, wording

X = wording.argument("x", "encode")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        pytest.param("n 1", "(n, 1)", id="names"),
        pytest.param("32 1", "(32, 1)", id="sizes"),
        pytest.param("32", "(32,)", id="one-size"),
        pytest.param("", "()", id="scalar"),
        pytest.param("... d", "(..., d)", id="variadic"),
    ],
)
def test_a_shape_reads_as_people_write_it(spec: str, text: str) -> None:
    assert wording.shape_text(spec) == text


MESSAGES = [
    pytest.param(
        wording.axis_differs(X, 0, "batch = 2", "3", bound_by="argument `q`"),
        "tensor-shape",
        "argument `x` of `encode`: axis 0 is 3, expected batch = 2 from argument `q`",
        id="axis",
    ),
    pytest.param(
        wording.shape_differs(
            wording.returned("encode"), "b t d", "b d t", hint="`transpose(1, 2)`"
        ),
        "tensor-shape",
        "return value of `encode`: shape is (b, d, t), expected (b, t, d); fix: `transpose(1, 2)`",
        id="shape",
    ),
    pytest.param(
        wording.rank_differs(X, "b d", "b t d"),
        "tensor-rank",
        "argument `x` of `encode`: 3 axes (b, t, d), expected 2 axes (b, d)",
        id="rank",
    ),
    pytest.param(
        wording.rank_differs(X, "*batch d", ""),
        "tensor-rank",
        "argument `x` of `encode`: 0 axes (), expected at least 1 axis (*batch, d)",
        id="rank-variadic",
    ),
    pytest.param(
        wording.axis_missing("sum", 2, "b d"),
        "tensor-rank",
        "`sum`: (b, d) has no axis 2",
        id="axis-missing",
    ),
    pytest.param(
        wording.too_many_indices("3 indices", "b d"),
        "tensor-rank",
        "3 indices for 2 axes (b, d)",
        id="indices",
    ),
    pytest.param(
        wording.sizes_misused("index", "a mask of size n on an axis of size d"),
        "tensor-shape",
        "`index`: a mask of size n on an axis of size d",
        id="sizes-in-words",
    ),
    pytest.param(
        wording.operands_differ("a + b", ("n k", "n d"), ("k", "d")),
        "tensor-shape",
        "`a + b`: (n, k) and (n, d) do not broadcast, k meets d",
        id="operands",
    ),
    pytest.param(
        wording.count_differs("`x.view`", "b t d", "b d"),
        "tensor-shape",
        "`x.view`: (b, t, d) and (b, d) differ in element count",
        id="count",
    ),
    pytest.param(
        wording.broadcasts("p - y", ("32 1", "32"), "32 32", "loss", hint="`y.unsqueeze(-1)`"),
        "tensor-broadcast",
        "`p - y` broadcasts (32, 1) and (32,) to (32, 32) (loss): "
        "a loss or metric compares arguments of one shape; fix: `y.unsqueeze(-1)`",
        id="broadcast",
    ),
    pytest.param(
        wording.dtype_differs(X, "Int", "Float", hint="`.long()`"),
        "tensor-dtype",
        "argument `x` of `encode`: dtype is Float, expected Int; fix: `.long()`",
        id="dtype",
    ),
    pytest.param(
        wording.misused("torch.cat", "needs at least one tensor"),
        "tensor-op",
        "`torch.cat`: needs at least one tensor",
        id="op",
    ),
    pytest.param(
        wording.bad_spec("n +1", "`+1` is an axis of its own", hint="`n+1`"),
        "tensor-spec",
        'spec "n +1": `+1` is an axis of its own; fix: `n+1`',
        id="spec",
    ),
]


@pytest.mark.parametrize(("found", "code", "text"), MESSAGES)
def test_a_finding_says_where_expected_got_and_what_to_do(
    found: Diagnostic, code: str, text: str
) -> None:
    assert (found.code.name, found.text) == (code, text)


@pytest.mark.parametrize("reason", wording.BROADCAST_REASONS)
def test_a_broadcast_carries_its_reason_in_words_and_as_data(reason: str) -> None:
    found = wording.broadcasts("a * b", ("n 1", "n"), "n n", reason)
    assert found.reason == reason
    assert f"({reason}): {wording.BROADCAST_REASONS[reason]}" in found.text


def test_an_internal_error_names_the_line_that_raised_and_asks_for_a_report() -> None:
    try:
        raise KeyError("lost")  # noqa: TRY301
    except KeyError as error:
        found = wording.internal(error, "checking module `model`")
    assert found.code is codes.INTERNAL
    assert found.text.startswith("internal error, please report it: KeyError: 'lost' at ")
    assert "test_wording.py:" in found.text
    assert found.text.endswith("while checking module `model`")


def test_an_internal_error_that_was_never_raised_has_no_place() -> None:
    found = wording.internal(ValueError("odd"), "reading specs")
    assert found.text == "internal error, please report it: ValueError: odd, while reading specs"


def test_findings_are_values() -> None:
    assert Diagnostic(codes.OP, "m") == Diagnostic(codes.OP, "m")
    assert len({Diagnostic(codes.OP, "m"), Diagnostic(codes.OP, "m")}) == 1
