# SPDX-License-Identifier: Apache-2.0
"""Elements that leave an array: numbers of Python's, and lists of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.value import SOME_BOOL, SOME_FLOAT, Many, Object

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Tensor

_ONES = (
    *(example(Array("", "Int64")), example(indices("1"))),
    *(example(Array("")), example(Array("n"))),
)


def _only(call: Call) -> Tensor:
    """The array. Raises Conflicting if it does not hold exactly one element."""
    array = call.tensor("input")
    count = array.shape.count
    if count is not None and call.facts.compare(count, Dim.of(1)) is Verdict.DIFFERENT:
        raise Conflicting(wording.misused(call.name, f"{array.shape} has not exactly one element"))
    return array


def _number(array: Tensor) -> Value:
    """An element of the array, as a number of Python's."""
    held = promotion.kinds(array.dtype)
    numbers: dict[frozenset[str], Value] = {
        frozenset({"float"}): SOME_FLOAT,
        frozenset({"bool"}): SOME_BOOL,
        frozenset({"int"}): Dim.fresh("item"),
    }
    if held not in numbers:
        raise Undetermined("a number that the data holds")
    return numbers[held]


@rule(*methods("item"), params="input", examples=_ONES)
def item(call: Call) -> Value:
    """The only element, a number of which the kind is known."""
    return _number(_only(call))


@rule(*methods("__int__", "__long__", "__index__"), params="input", examples=_ONES[:2])
def integer(call: Call) -> Value:
    """The only element as an integer."""
    if promotion.kinds(_only(call).dtype) != frozenset({"int"}):
        raise Undetermined("what Python makes of it is not known")
    return Dim.fresh("item")


@rule(*methods("__float__"), params="input", examples=_ONES)
def floating(call: Call) -> Value:
    """The only element as a float."""
    _only(call)
    return SOME_FLOAT


@rule(*methods("__complex__"), params="input", examples=_ONES)
def complex_number(call: Call) -> Value:
    """The only element as a complex number."""
    _only(call)
    return Object("builtins.complex")


@rule(
    *methods("__bool__", "__nonzero__"),
    *torch_names("is_nonzero"),
    params="input",
    examples=_ONES,
)
def truth(call: Call) -> Value:
    """Whether the only element is not 0."""
    _only(call)
    return SOME_BOOL


@rule(
    *methods("tolist"),
    params="input",
    examples=(example(Array("b n")), example(Array("n", "Int64")), example(Array("", "Bool"))),
)
def tolist(call: Call) -> Value:
    """Lists in lists, down to numbers."""
    array = call.tensor("input")
    if array.shape.rank is None:
        raise Undetermined("the rank is not known")
    found = _number(array)
    for _ in range(array.shape.rank):
        found = Many(found)
    return found


@rule(
    *torch_names("allclose"),
    params="input, other, rtol=1e-05, atol=1e-08, equal_nan=False",
    examples=(example(Array("b n"), Array("b n")), example(Array("n"), Array("m"))),
)
def allclose(call: Call) -> Value:
    """Whether all pairs are close; the arrays broadcast, which is seldom meant."""
    meet(call, {name: call.tensor(name) for name in ("input", "other")}, ("input", "other"))
    if call.tensor("input").dtype != call.tensor("other").dtype:
        raise Undetermined("torch compares arrays of one dtype")
    return SOME_BOOL


@rule(
    *torch_names("equal", "is_same_size"),
    *methods("is_set_to"),
    params="input, other",
    examples=(example(Array("b n"), Array("b n")), example(Array("b n"), Array("n"))),
)
def same(call: Call) -> Value:
    """Whether two arrays are alike; they may have any shapes."""
    call.tensor("input"), call.tensor("other")
    return SOME_BOOL


@rule(
    *methods("__contains__"),
    params="input, element",
    examples=(example(Array("b n"), 1), example(Array("*a"), 0.5)),
)
def contains(call: Call) -> Value:
    """Whether a number is among the elements."""
    call.tensor("input")
    if not isinstance(call["element"], (Dim, bool, float)):
        raise Undetermined("an array among the elements")
    return SOME_BOOL
