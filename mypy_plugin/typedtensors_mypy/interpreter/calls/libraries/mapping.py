# SPDX-License-Identifier: Apache-2.0
"""`torch.vmap`, `tf.map_fn`: a function of one element, and what it makes of those of an axis."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import starmap

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, Shape, Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import REPORTED, Partial
from typedtensors_mypy.source.program import External

# What calling the result of `vmap` is called here.
MAPPED = "torch.vmap.__call__"
_FIRST = Dim.of(0)
_OF_MAPS = frozenset({"fn", "elems", "fn_output_signature", "dtype", "parallel_iterations"})
_SETTINGS = frozenset({"randomness", "chunk_size"})


def vmap(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """A function that maps another one."""
    given = dict(zip(("func", "in_dims", "out_dims"), arguments.positional, strict=False))
    given |= {key: value for key, value in arguments.keywords.items() if key not in _SETTINGS}
    if not arguments.complete or not given.keys() <= {"func", "in_dims", "out_dims"}:
        return Unknown("a map whose arguments are not known")
    dims = given.get("in_dims", _FIRST), given.get("out_dims", _FIRST)
    return Partial(External(MAPPED), (given.get("func"), *dims), {})


def call_mapped(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """What the function makes of one element of each argument, with the axis of all of them."""
    function, places, out, *values = arguments.positional
    if not arguments.complete:
        return Unknown("a call whose arguments are not known")
    named = arguments.keywords
    # Arguments by name are mapped along their first axes.
    dims = [*_each(places, len(values)), *[_FIRST] * len(named)]
    taken = list(starmap(_taken, zip((*values, *named.values()), dims, strict=True)))
    axes = [axis for _, axis in taken if axis is not None]
    if not axes:
        return Unknown("a map along an axis that is not known")
    if not _agree(frame, node, axes):
        return REPORTED
    elements = [element for element, _ in taken]
    by_name = dict(zip(named, elements[len(values) :], strict=True))
    result = frame.run.call(
        frame, node, function, Arguments(tuple(elements[: len(values)]), by_name)
    )
    return _put_back(result, out, axes[0])


def map_elements(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """`tf.map_fn(fn, elems)`: what a function makes of the elements along the first axes."""
    given = dict(zip(("fn", "elems"), arguments.positional, strict=False)) | arguments.keywords
    if (
        not arguments.complete
        or not given.keys() <= _OF_MAPS
        or not given.keys() >= {"fn", "elems"}
    ):
        return Unknown("a map whose arguments are not known")
    mapped = (given["fn"], _FIRST, _FIRST, given["elems"])
    return call_mapped(frame, node, Arguments(mapped))


def _each(places: Value, count: int) -> Sequence[Value]:
    """Along which axis each of several values is mapped."""
    if isinstance(places, tuple) and len(places) == count:
        return places
    return [places] * count if places is None or isinstance(places, Dim) else [Unknown("_")] * count


def _taken(value: Value, place: Value) -> tuple[Value, Axis | None]:
    """One element of an argument, and the axis along which it is one."""
    if place is None:
        return value, None
    if isinstance(value, tuple):
        parts = list(starmap(_taken, zip(value, _each(place, len(value)), strict=True)))
        axis = next((axis for _, axis in parts if axis is not None), None)
        return tuple(part for part, _ in parts), axis
    at = place.value if isinstance(place, Dim) else None
    if at is None or not isinstance(value, Tensor):
        return Unknown("one element of what is not known"), None
    position, axis = value.shape.position(at), value.shape.axis(at)
    if position is None or axis is None:
        return Unknown("one element of what is not known"), None
    return value.with_shape(value.shape.replace(position)), axis


def _agree(frame: Frame, node: ast.expr, axes: Sequence[Axis]) -> bool:
    """Whether all arguments have one number of elements; tells if not."""
    for axis in axes[1:]:
        verdict, frame.state.facts = frame.state.facts.equate(axes[0].dim, axis.dim)
        if verdict is Verdict.DIFFERENT:
            problem = f"maps along {axes[0]} and {axis}"
            frame.report(node, wording.sizes_misused("vmap", problem))
            return False
    return True


def _put_back(result: Value, out: Value, axis: Axis) -> Value:
    """The results of all elements, along an axis that stands where `out_dims` says."""
    if isinstance(result, tuple):
        pairs = zip(result, _each(out, len(result)), strict=True)
        return tuple(_put_back(part, place, axis) for part, place in pairs)
    at = out.value if isinstance(out, Dim) else None
    if not isinstance(result, Tensor) or at is None or result.shape.rank is None:
        return result if result == REPORTED else Unknown("a map of what is not known")
    axes = list(result.shape.axes)
    axes.insert(at if at >= 0 else len(axes) + 1 + at, axis)
    return result.with_shape(Shape(tuple(axes)))
