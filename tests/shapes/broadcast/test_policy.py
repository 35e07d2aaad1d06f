# SPDX-License-Identifier: Apache-2.0
"""Kinds of broadcast, and which of them are reported."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, strategies as st

from typedtensors.dims import Dim, Facts
from typedtensors.shapes.axis import Axis, Intent, Variadic
from typedtensors.shapes.broadcast import (
    BroadcastEvent,
    Context,
    Kind,
    Level,
    Reason,
    broadcast,
    classify,
    judge,
)
from typedtensors.shapes.shape import Shape

Sizes = tuple[object, ...]
FLOATS = Context(floating=True, parameter=False)
sizes = st.lists(st.sampled_from([1, 1, "a", "b", "c"]), max_size=4).map(tuple)


def event_of(*shapes: Sizes) -> BroadcastEvent | None:
    return classify(broadcast([Shape.of(*shape) for shape in shapes]))  # type: ignore[arg-type]


def event(*shapes: Sizes) -> BroadcastEvent:
    found = event_of(*shapes)
    assert found is not None
    return found


def with_intent(shape: Sizes, intent: Intent) -> Shape:
    axes = Shape.of(*shape).suffix  # type: ignore[arg-type]
    return Shape(tuple(replace(axis, intent=intent) if axis.is_one else axis for axis in axes))


@pytest.mark.parametrize(
    ("shapes", "kind"),
    [
        (((2, 3), ()), Kind.SCALAR),
        (((2, 3), (1,)), Kind.SINGLE),
        (((3,), (1, 3)), Kind.SINGLE),
        (((2, 3), (3,)), Kind.SUFFIX),
        (((3, 3), (3,)), Kind.SUFFIX_AMBIGUOUS),
        (((2, 3), (2, 1)), Kind.KEEPDIM),
        (((2, 3, 4, 4), (3, 1, 1)), Kind.PADSTRETCH),
        (((3, 1), (1, 3)), Kind.MUTUAL_EXPLICIT),
        (((3, 1), (3,)), Kind.MUTUAL_PADDED),
        ((("n", "n"), ("n",)), Kind.SUFFIX_AMBIGUOUS),
        ((("n", 1), ("m",)), Kind.MUTUAL_PADDED),
        (((0, 3), (1, 3)), Kind.KEEPDIM),
        (((3, 4), (3, 1), (1, 4)), Kind.KEEPDIM),
    ],
)
def test_kind(shapes: tuple[Sizes, ...], kind: Kind) -> None:
    assert event(*shapes).kind is kind


@pytest.mark.parametrize(
    "shapes",
    [
        pytest.param([Shape.of("b", "d"), Shape.of("b", "d")], id="nothing is broadcast"),
        pytest.param([Shape.of("b"), Shape.of("d")], id="a conflict"),
        pytest.param([Shape.unknown(), Shape.of("d")], id="unknown rank"),
        pytest.param([Shape((Variadic("b"), Axis(Dim.of(1)))), Shape((Variadic("b"),))], id="*b 1"),
        pytest.param([Shape((Axis(Dim.name("b"), flexible=True),)), Shape.of("b")], id="flexible"),
        pytest.param([Shape.of("b", "d", 1), Shape.of("b", Dim.opaque("k"), 1)], id="undecided"),
    ],
)
def test_no_event_where_there_is_none_or_it_is_undecided(shapes: list[Shape]) -> None:
    assert classify(broadcast(shapes)) is None


def test_shared_variadic_does_not_hide_what_follows_it() -> None:
    rows = [Shape((Variadic("b"), Axis(Dim.name("n")), Axis(Dim.of(1))))]
    columns = [Shape((Variadic("b"), Axis(Dim.of(1)), Axis(Dim.name("n"))))]
    found = classify(broadcast(rows + columns))
    assert found is not None
    assert found.kind is Kind.MUTUAL_EXPLICIT
    assert found.twins


@given(st.lists(sizes, min_size=2, max_size=3), st.permutations(["a", "b", "c"]))
def test_kind_depends_on_no_names_and_no_sizes(shapes: list[Sizes], names: list[str]) -> None:
    first = event_of(*shapes)
    assume(first is not None)
    renamed: dict[object, object] = dict(zip("abc", names, strict=True))
    numbers: dict[object, object] = dict(zip("abc", (5, 7, 11), strict=True))
    for mapping in (renamed, numbers):
        other = event(*(tuple(mapping.get(size, size) for size in shape) for shape in shapes))
        assert first is not None
        assert (other.kind, other.twins, other.ambiguous) == (
            first.kind,
            first.twins,
            first.ambiguous,
        )


@given(st.lists(sizes, min_size=2, max_size=3))
def test_verdict_depends_on_no_order_of_operands(shapes: list[Sizes]) -> None:
    first, second = event_of(*shapes), event_of(*reversed(shapes))
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        for context in (FLOATS, replace(FLOATS, comparison=True)):
            assert judge(first, context) is judge(second, context)


contexts = st.builds(Context, *[st.booleans()] * 3, floating=st.sampled_from([True, False, None]))


@given(st.lists(sizes, min_size=2, max_size=3), contexts)
def test_explicit_reports_whatever_suspicious_does(shapes: list[Sizes], context: Context) -> None:
    found = event_of(*shapes)
    assume(found is not None)
    assert found is not None
    mild, strict = judge(found, context), judge(found, context, Level.EXPLICIT)
    assert strict is (mild if mild is not None or found.kind is Kind.SCALAR else Reason.IMPLICIT)
    assert judge(found, context, Level.ALLOW) is None


@pytest.mark.parametrize(
    ("shapes", "context", "reason"),
    [
        pytest.param(((8, 1), (8, 6)), Context(comparison=True), Reason.LOSS, id="a loss"),
        pytest.param(((1, 1), (1,)), Context(comparison=True), None, id="a loss of one number"),
        pytest.param((("n", 1), (1, "m")), Context(comparison=True), Reason.LOSS, id="outer loss"),
        pytest.param(
            (("n", 1), (1, "m")), Context(comparison=True, viewed=True), None, id="meant outer loss"
        ),
        pytest.param((("n", 1), ("n",)), Context(), Reason.RANK, id="column and row"),
        pytest.param((("n", 1), ("m",)), Context(), Reason.RANK, id="an outer product by padding"),
        pytest.param((("n", 1), ("m",)), Context(inserted=True), None, id="the same, written out"),
        pytest.param(
            (("n", 1), ("n",)),
            Context(inserted=True, floating=True),
            Reason.TWINS,
            id="inserting the axis is the bug",
        ),
        pytest.param((("n", 1), ("n",)), Context(inserted=True), None, id="perhaps indices"),
        pytest.param(
            (("n", 1), ("m",)), Context(viewed=True, floating=False), None, id="one-hot idiom"
        ),
        pytest.param((("n", 1), ("m",)), Context(viewed=True, floating=True), None, id="a grid"),
        pytest.param(
            (("n", 1), ("m",)), Context(prepared=True, floating=True), None, id="a converted grid"
        ),
        pytest.param(
            (("n", 1), ("n",)),
            Context(prepared=True, viewed=True, floating=True),
            Reason.RANK,
            id="a column made on an earlier line meets its row",
        ),
        pytest.param(
            (("n", 1), ("n",)),
            Context(inserted=True, paired=True, floating=True),
            None,
            id="a tensor with itself",
        ),
        pytest.param(
            (("n", 1, "d"), ("n", "d")),
            Context(inserted=True, floating=True),
            None,
            id="the rows of two tensors in pairs",
        ),
        pytest.param((("n", 1, "d"), ("n", "d")), FLOATS, Reason.RANK, id="rows, not written out"),
        pytest.param((("n", 1), (1, "n")), FLOATS, Reason.TWINS, id="a row for a column"),
        pytest.param((("n", 1), (1, "n")), Context(viewed=True, floating=True), None, id="pairs"),
        pytest.param((("n", "n"), ("n",)), FLOATS, Reason.AMBIGUOUS, id="which n?"),
        pytest.param((("n", "n"), ("n",)), Context(parameter=True), None, id="a square layer"),
        pytest.param((("n", "n"), ("n",)), Context(), None, id="perhaps a parameter"),
        pytest.param((("n", "d"), ("d",)), FLOATS, None, id="a bias"),
        pytest.param((("n", "d"), ("n", 1)), FLOATS, None, id="a weight per row"),
        pytest.param((("n", "d"), ("d",)), Context(renamed=True), Reason.NAMES, id="renamed"),
        pytest.param((("n", 1), ("n",)), Context(deliberate=True), None, id="made by a helper"),
    ],
)
def test_reason(shapes: tuple[Sizes, ...], context: Context, reason: Reason | None) -> None:
    assert judge(event(*shapes), context) is reason


@pytest.mark.parametrize(
    ("intent", "other", "reason"),
    [
        (Intent.UNSQUEEZE, ("m",), None),
        (Intent.SPEC, ("m",), None),
        (Intent.UNSQUEEZE, (1, "n"), None),
        (Intent.SPEC, (1, "n"), Reason.TWINS),
        (Intent.KEEPDIM, ("n",), Reason.TWINS),
        (Intent.SPEC, ("n",), Reason.RANK),
    ],
)
def test_intent_of_an_axis(intent: Intent, other: Sizes, reason: Reason | None) -> None:
    shapes = [with_intent(("n", 1), intent), Shape.of(*other)]  # type: ignore[arg-type]
    found = classify(broadcast(shapes))
    assert found is not None
    assert judge(found, FLOATS) is reason


def test_aligned_operand_is_never_reported() -> None:
    aligned = with_intent(("n", 1), Intent.ALIGN)
    square = classify(broadcast([aligned, Shape.of("n", "n")]))
    assert square is not None
    assert judge(square, FLOATS, Level.EXPLICIT) is None
    padded = classify(broadcast([aligned, Shape.of("n")]))
    assert padded is not None
    assert judge(padded, FLOATS) is Reason.TWINS


def test_opaque_size_may_be_one_so_an_outer_product_with_it_is_silent() -> None:
    k = Dim.opaque("k")
    assert judge(event(("n", 1), (k,)), FLOATS) is None
    assert judge(event((k, 1), (k,)), FLOATS) is Reason.RANK
    known = Facts().equate(k, Dim.name("m"))[1]
    found = classify(broadcast([Shape.of("n", 1), Shape.of(k)], known))
    assert found is not None
    assert judge(found, FLOATS) is Reason.RANK


def test_many_equal_axes_are_classified_at_once() -> None:
    assert event((2,) * 40, (2,) * 20).kind is Kind.SUFFIX_AMBIGUOUS
