# SPDX-License-Identifier: Apache-2.0
"""Fixes: each one is legal, silences the event, and reads as its author would write it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from typedtensors.dims import Dim, Facts
from typedtensors.shapes.broadcast import (
    Context,
    Level,
    Reason,
    broadcast,
    classify,
    fixes,
    hint,
    judge,
)
from typedtensors.shapes.broadcast.fix import Change
from typedtensors.shapes.shape import Shape

FLOATS = Context(floating=True, parameter=False)
LOSS = Context(comparison=True, floating=True, parameter=False)
sizes = st.lists(st.sampled_from([1, "a", "b"]), max_size=4).map(tuple)


@given(sizes, sizes, st.sampled_from([FLOATS, LOSS]))
def test_every_fix_is_legal_and_leaves_nothing_to_report(
    left: tuple[int | str, ...], right: tuple[int | str, ...], context: Context
) -> None:
    event = classify(broadcast([Shape.of(*left), Shape.of(*right)]))
    assume(event is not None)
    assert event is not None
    for edit in fixes(event, context, Level.SUSPICIOUS):
        shapes = list(event.shapes)
        shapes[edit.operand] = edit.shape
        outcome = broadcast(shapes)
        assert outcome.shape is not None
        rest = classify(outcome)
        written = Context(
            comparison=context.comparison,
            inserted=edit.change is Change.INSERT,
            floating=True,
            parameter=False,
        )
        assert rest is None or judge(rest, written) is None


@pytest.mark.parametrize(
    ("texts", "shapes", "context", "expected"),
    [
        pytest.param(
            ("pred", "y"),
            (("n", 1), ("n",)),
            LOSS,
            "`pred.squeeze(-1)` or `y.unsqueeze(-1)`",
            id="a column and a row",
        ),
        pytest.param(
            ("p - q", "-w"),
            (("n", 1), ("n",)),
            FLOATS,
            "`(p - q).squeeze(-1)` or `(-w).unsqueeze(-1)`",
            id="operators get parentheses",
        ),
        pytest.param(
            ("err", "n.unsqueeze(1)"),
            (("n",), ("n", 1)),
            FLOATS,
            "`err.unsqueeze(-1)` or `n`",
            id="an unsqueeze is taken back",
        ),
        pytest.param(
            ("y", "net(x).squeeze(-1)"),
            (("n", 1), ("n",)),
            FLOATS,
            "`y.squeeze(-1)` or `net(x)`",
            id="a squeeze is taken back",
        ),
        pytest.param(
            ("g", "g.norm(dim=(-2, -1)).clamp(min=1e-7)"),
            ((6, 8, 6), (6,)),
            FLOATS,
            "`g.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-7)` for axis 0 or "
            "`g.norm(dim=(-2, -1)).clamp(min=1e-7)[None, None, :]` for axis 2",
            id="a reduction keeps its axes",
        ),
        pytest.param(
            ("x", "x.mean(1)"),
            (("n", "n"), ("n",)),
            FLOATS,
            "`x.mean(1, keepdim=True)` for axis 0 or `x.mean(1).unsqueeze(0)` for axis 1",
            id="the axis that was reduced",
        ),
        pytest.param(
            ("net(x)", "u"),
            (("n", 1), (1, "n")),
            FLOATS,
            "`net(x).mT` or `u.mT`",
            id="a row for a column",
        ),
        pytest.param(
            ("x", "y"),
            (("n", 1), ("m",)),
            FLOATS,
            "`y.unsqueeze(0)` if the outer product is meant",
            id="an outer product",
        ),
        pytest.param(
            (None, "y"),
            (("n", 1), ("n",)),
            FLOATS,
            "`.squeeze(-1)` on the operand of shape (n, 1) or `y.unsqueeze(-1)`",
            id="an operand without a text",
        ),
        pytest.param(
            ("keep", "p", "0.0"),
            (("n",), ("n", 1), ()),
            FLOATS,
            "`keep.unsqueeze(-1)` or `p.squeeze(-1)`",
            id="beside a number",
        ),
        pytest.param(("p", "t"), ((8, 1), (8, 6)), LOSS, None, id="no single edit helps"),
        pytest.param(("p", "t"), ((5, 1), (1,)), LOSS, None, id="one number is another program"),
    ],
)
def test_hint(
    texts: tuple[str | None, ...],
    shapes: tuple[tuple[int | str, ...], ...],
    context: Context,
    expected: str | None,
) -> None:
    event = classify(broadcast([Shape.of(*shape) for shape in shapes]))
    assert event is not None
    assert hint(fixes(event, context, Level.SUSPICIOUS), texts) == expected


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("x.mean(dim=1, keepdim=False)", ".unsqueeze(-1)"),
        ("x.norm(2)", ".unsqueeze(-1)"),
        ("x.mean(axis)", ".unsqueeze(-1)"),
        ("x.mean(7)", ".unsqueeze(-1)"),
        ("x.mean(0)", ".unsqueeze(-1)"),
        ("x.mean(1).cumsum(0)", ".unsqueeze(-1)"),
        ("x.sum().expand(4)", ".unsqueeze(-1)"),
    ],
)
def test_reduction_is_edited_only_where_that_gives_the_same_axes(text: str, column: str) -> None:
    event = classify(broadcast([Shape.of("n", "n"), Shape.of("n")]))
    assert event is not None
    written = hint(fixes(event, FLOATS, Level.SUSPICIOUS), ("x", text))
    assert written is not None
    assert f"`{text}{column}` for axis 0" in written


def test_long_or_unreadable_text_is_not_repeated() -> None:
    event = classify(broadcast([Shape.of("n", 1), Shape.of("n")]))
    assert event is not None
    edits = fixes(event, FLOATS, Level.SUSPICIOUS)
    assert hint(edits, ("f(" + "x, " * 40 + ")", "yield")) == (
        "`.squeeze(-1)` on the operand of shape (n, 1) or `(yield).unsqueeze(-1)`"
    )


def test_where_everything_is_written_out_the_operand_is_expanded() -> None:
    event = classify(broadcast([Shape.of("n", "d"), Shape.of("d")]))
    assert event is not None
    assert judge(event, FLOATS, Level.EXPLICIT) is Reason.IMPLICIT
    written = hint(fixes(event, FLOATS, Level.EXPLICIT), ("x", "a + b"))
    assert written == "`(a + b).expand_as(x)`"
    assert hint(fixes(event, FLOATS, Level.EXPLICIT), (None, "b")) == "`b.expand(n, d)`"


def test_facts_decide_what_cures() -> None:
    k = Dim.opaque("k")
    facts = Facts().equate(k, Dim.name("n"))[1]
    event = classify(broadcast([Shape.of(k, 1), Shape.of("n")], facts))
    assert event is not None
    written = hint(fixes(event, FLOATS, Level.SUSPICIOUS), ("p", "y"))
    assert written == "`p.squeeze(-1)` or `y.unsqueeze(-1)`"
