# SPDX-License-Identifier: Apache-2.0
"""The helpers' rules, beyond what the comparison with the helpers themselves shows."""

from __future__ import annotations

import pytest

from typedtensors.dims import Dim, Facts
from typedtensors.ops import Conflict, Known, Outcome, Unknown, lookup
from typedtensors.shapes import Axis, Intent, Shape, Tensor, Variadic


def call(name: str, *args: object, **kwargs: object) -> Outcome:
    rule = lookup(f"typedtensors.{name}")
    assert rule is not None
    return rule.evaluate(f"typedtensors.{name}", args, kwargs, Facts())


def array(*sizes: str | int) -> Tensor:
    return Tensor(Shape.of(*sizes))


@pytest.mark.parametrize(
    "spelling",
    ["typedtensors.align", "typedtensors.broadcast.align", "typedtensors.broadcast.align.align"],
)
def test_a_helper_is_known_wherever_it_is_imported_from(spelling: str) -> None:
    assert lookup(spelling) is lookup("typedtensors.align") is not None


def test_new_axes_are_meant_to_broadcast() -> None:
    found = call("align", array("d"), "d", to="b t d")
    assert isinstance(found, Known)
    assert isinstance(found.value, Tensor)
    intents = [axis.intent for axis in found.value.shape.axes if isinstance(axis, Axis)]
    assert intents == [Intent.ALIGN, Intent.ALIGN, None]


def test_names_are_local_to_the_call() -> None:
    """`"n k"` says which axis is which; what the function calls its sizes is its own affair."""
    found = call("align", array("batch", "d"), "n k", to="k n")
    assert isinstance(found, Known)
    assert str(found.value.shape) == "(d, batch)"  # type: ignore[attr-defined]


def test_sizes_that_disagree_are_a_conflict_in_the_callers_names() -> None:
    found = call("expand_as", array("batch"), "d", array("batch", "d"), "b d")
    assert isinstance(found, Conflict)
    assert found.diagnostic.message == (
        "argument `x` of `expand_as`: axis 0 is batch, expected d from `other` (`d`)"
    )


def test_a_flexible_axis_is_not_compared() -> None:
    loose = Tensor(Shape((Axis(Dim.name("d"), flexible=True),)))
    assert isinstance(call("expand_as", loose, "d", array("b", "k"), "b d"), Known)


def test_an_unknown_rank_is_what_the_names_say() -> None:
    found = call("align", Tensor(Shape.unknown()), "b d", to="b t d")
    assert isinstance(found, Known)
    assert found.value.shape.rank == 3  # type: ignore[attr-defined]


def test_trailing_axes_survive_an_unknown_prefix() -> None:
    x = Tensor(Shape((Variadic.fresh(), *Shape.of("t", "d").axes)))
    found = call("align", x, "*b t d", to="*b d t")
    assert isinstance(found, Known)
    assert str(found.value.shape) == "(..., d, t)"  # type: ignore[attr-defined]


def test_axes_that_cannot_be_told_apart_are_unknown() -> None:
    x = Tensor(Shape((Variadic.fresh(), *Shape.of("d").axes)))
    assert isinstance(call("align", x, "b *s t d", to="b *s t h d"), Unknown)


@pytest.mark.parametrize("spec", [Unknown("computed"), Dim.of(3)])
def test_names_that_are_not_literal_are_unknown(spec: object) -> None:
    assert isinstance(call("align", array("d"), spec, to="b d"), Unknown)


def test_sizes_are_read_by_name() -> None:
    found = call("sizes", array("batch", 3, "d"), "b _ d")
    assert isinstance(found, Known)
    assert found.value == {"b": Dim.name("batch"), "d": Dim.name("d")}
