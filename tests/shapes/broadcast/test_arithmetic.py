# SPDX-License-Identifier: Apache-2.0
"""Broadcast shapes: NumPy is the oracle for integers, and evaluation for symbolic dims."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from typedtensors.dims import Dim, Facts, Verdict
from typedtensors.shapes.axis import Axis, Intent, Variadic
from typedtensors.shapes.broadcast import broadcast
from typedtensors.shapes.shape import Shape

NAMES = {"a": 5, "b": 7, "c": 11}
integers = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)
symbols = st.lists(st.sampled_from([1, 1, 3, "a", "b", "c"]), max_size=4).map(tuple)


def spec(text: str) -> Shape:
    """A shape from words: sizes, names, `#name`, `*name`, `...`, and `?name`, an opaque dim."""
    parts = [_part(word) for word in text.split()]
    return Shape(tuple(parts))


def _part(word: str) -> Axis | Variadic:
    if word == "...":
        return Variadic.fresh()
    if word.startswith("*"):
        return Variadic(word.lstrip("*#"), flexible="#" in word)
    if word.startswith("?"):
        return Axis(Dim.opaque(word[1:]))
    name = word.lstrip("#")
    return Axis(Dim.of(int(name)) if name.isdecimal() else Dim.name(name), flexible=word[0] == "#")


def sizes(shape: Shape) -> tuple[int, ...]:
    assert shape.dims is not None
    return tuple(dim.evaluate(NAMES) for dim in shape.dims)


@given(st.lists(integers, min_size=1, max_size=4))
def test_integer_shapes_broadcast_as_numpy_does(shapes: list[tuple[int, ...]]) -> None:
    outcome = broadcast([Shape.of(*shape) for shape in shapes])
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        assert outcome.shape is None
        assert outcome.conflict is not None
    else:
        assert outcome.shape == Shape.of(*expected)
        assert outcome.decided


@given(st.lists(symbols, min_size=1, max_size=3))
def test_symbolic_result_evaluates_to_the_concrete_one(shapes: list[tuple[int | str, ...]]) -> None:
    symbolic = [Shape.of(*shape) for shape in shapes]
    concrete = broadcast([Shape.of(*sizes(shape)) for shape in symbolic])
    outcome = broadcast(symbolic)
    # Distinct sizes for distinct names: a conflict of names is a conflict of sizes.
    assert (outcome.shape is None) == (concrete.shape is None)
    if outcome.shape is not None:
        assert concrete.shape == Shape.of(*sizes(outcome.shape))


@given(st.lists(symbols, min_size=2, max_size=3))
def test_order_of_operands_does_not_matter(shapes: list[tuple[int | str, ...]]) -> None:
    forward = broadcast([Shape.of(*shape) for shape in shapes])
    backward = broadcast([Shape.of(*shape) for shape in reversed(shapes)])
    assert forward.shape == backward.shape


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        pytest.param("n 1", "n", "n n", id="a column and a row"),
        pytest.param("*batch t d", "d", "*batch t d", id="a bias"),
        pytest.param("*batch t d", "*batch 1 d", "*batch t d", id="a shared variadic survives"),
        pytest.param("*#batch d", "*batch d", "*batch d", id="a flexible variadic gives way"),
        pytest.param("*batch t d", "*batch d", "... t d", id="variadics out of step"),
        pytest.param("*a d", "*b d", "... d", id="two variadics keep the tail"),
        pytest.param("*a 2 d", "b t d", None, id="conflict beside a variadic"),
        pytest.param("... d", "b t d", "... b t d", id="known axes stand beside an unknown prefix"),
        pytest.param("#b d", "b d", "b d", id="flexible meets its dim"),
        pytest.param("#b d", "1 d", "#b d", id="flexible meets 1"),
        pytest.param("#b d", "#b d", "#b d", id="flexible meets itself"),
        pytest.param("b d", "b ?k", "b d", id="opaque gives way to a name"),
        pytest.param("b d", "b 3", None, id="a name is not a literal"),
        pytest.param("b d", "d b", None, id="two names never agree"),
    ],
)
def test_result(left: str, right: str, result: str | None) -> None:
    for pair in ((left, right), (right, left)):
        shape = broadcast([spec(text) for text in pair]).shape
        assert (None if shape is None else shape.text) == result


def test_one_beside_an_unknown_prefix_is_unknown() -> None:
    outcome = broadcast([Shape.unknown(), spec("b 1 d")])
    assert outcome.shape is not None
    assert outcome.shape.axis(-1) == Axis(Dim.name("d"))
    assert outcome.shape.axis(-2) != Axis(Dim.of(1))
    assert not outcome.decided


def test_conflict_names_axis_and_operands() -> None:
    conflict = broadcast([spec("b t d"), spec("t 1"), spec("n d")]).conflict
    assert conflict is not None
    assert (conflict.index, conflict.operands) == (-2, (0, 2))


def test_operands_of_equal_rank_teach_an_opaque_dim() -> None:
    learned = broadcast([spec("b ?k"), spec("b d")]).facts
    assert learned.compare(Dim.opaque("k"), Dim.name("d")) is Verdict.EQUAL
    again = broadcast([spec("b ?k"), spec("b e")], learned)
    assert again.shape is None


def test_vector_teaches_nothing_because_it_may_hold_one_element() -> None:
    assert broadcast([spec("b d"), spec("?k")]).facts == Facts()


def test_dim_learned_to_be_one_stretches() -> None:
    facts = Facts().equate(Dim.opaque("k"), Dim.of(1))[1]
    assert broadcast([spec("b d"), spec("b ?k")], facts).shape == spec("b d")


def test_intent_of_a_one_survives_meeting_another() -> None:
    asked = Shape((Axis(Dim.of(1), intent=Intent.UNSQUEEZE), Axis(Dim.name("d"))))
    shape = broadcast([spec("1 d"), asked]).shape
    assert shape is not None
    axis = shape.axis(0)
    assert axis is not None
    assert axis.intent is Intent.UNSQUEEZE
