# SPDX-License-Identifier: Apache-2.0
"""What is no op of TensorFlow's, but carries tensors: data sets, tapes of gradients."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from typedtensors.dims import Dim
from typedtensors.ops import Framework, Object, Unknown, Value
from typedtensors.shapes import Axis, DType, Shape, Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join
from typedtensors_mypy.interpreter.values import REPORTED, DataSet, Items, of_framework

TAPE: Final = Object("tensorflow.GradientTape")

_Change = Callable[[Tensor], Value]
_Method = Callable[[Frame, ast.expr, DataSet, Arguments], Value]
_UNKNOWN: Final = Unknown("elements of a data set that is not followed")


def _of_slices(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`tf.data.Dataset.from_tensor_slices((x, y))`: a row of each array at a time."""
    return DataSet(_each(frame, _as_tensors(_first(arguments)), _row))


def _of_one(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return DataSet(_as_tensors(_first(arguments)))


def _zipped(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """The elements of several data sets, side by side."""
    given = _first(arguments) if len(arguments.positional) == 1 else arguments.positional
    return DataSet(_each_set(frame, given))


def _each_set(frame: Frame, given: Value) -> Value:
    if isinstance(given, tuple):
        return tuple(_each_set(frame, part) for part in given)
    return given.item if isinstance(given, DataSet) else _UNKNOWN


def _tape(_frame: Frame, _node: ast.expr, _arguments: Arguments) -> Value:
    return TAPE


def _first(arguments: Arguments) -> Value:
    given = (*arguments.positional, *arguments.keywords.values())
    return given[0] if given and arguments.complete else _UNKNOWN


def _as_tensors(value: Value) -> Value:
    return of_framework(value, Framework.TENSORFLOW)


def _each(frame: Frame, value: Value, change: _Change) -> Value:
    """The value with each array in its tuples and dicts changed."""
    value = frame.state.now(value)
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_each(frame, part, change) for part in value)
    if isinstance(value, Items) and value.keys is not None:
        return Items(tuple(_each(frame, part, change) for part in value.values), value.keys)
    return _UNKNOWN


def _row(array: Tensor) -> Value:
    if not array.shape.prefix:
        return _UNKNOWN
    return replace(array, shape=Shape(array.shape.axes[1:]), parameter=False)


def _batched(frame: Frame, _node: ast.expr, data: DataSet, arguments: Arguments) -> Value:
    """So many elements stacked; the last batch is smaller unless it is dropped."""
    given = dict(zip(("batch_size", "drop_remainder"), arguments.positional, strict=False))
    given |= arguments.keywords
    size = given.get("batch_size")
    exact = given.get("drop_remainder") is True and isinstance(size, Dim) and arguments.complete
    axis = Axis(size if exact and isinstance(size, Dim) else Dim.fresh("batch"))
    return DataSet(
        _each(frame, data.item, lambda x: replace(x, shape=Shape((axis, *x.shape.axes))))
    )


def _unbatched(frame: Frame, _node: ast.expr, data: DataSet, _arguments: Arguments) -> Value:
    return DataSet(_each(frame, data.item, _row))


def _mapped(frame: Frame, node: ast.expr, data: DataSet, arguments: Arguments) -> Value:
    """What a function makes of each element: it gets the parts of a tuple one by one."""
    function = _first(arguments)
    given = data.item if isinstance(data.item, tuple) else (data.item,)
    if any(isinstance(part, Unknown) for part in given):
        return DataSet(_UNKNOWN)
    made = frame.run.call(frame, node, function, Arguments(given))
    return made if made == REPORTED else DataSet(_as_tensors(made))


def _as_arrays(frame: Frame, _node: ast.expr, data: DataSet, _arguments: Arguments) -> Value:
    def change(array: Tensor) -> Value:
        return of_framework(array, Framework.NUMPY)

    return DataSet(_each(frame, data.item, change))


def _counted(_frame: Frame, _node: ast.expr, data: DataSet, _arguments: Arguments) -> Value:
    count = of_framework(Tensor(Shape(()), DType.exactly("int64")), Framework.TENSORFLOW)
    return DataSet((count, data.item))


def _followed_by(_frame: Frame, _node: ast.expr, data: DataSet, arguments: Arguments) -> Value:
    other = _first(arguments)
    return join(data, other) if isinstance(other, DataSet) else DataSet(_UNKNOWN)


def _same(_frame: Frame, _node: ast.expr, data: DataSet, _arguments: Arguments) -> Value:
    return data


def call_carrier(
    frame: Frame, node: ast.expr, carrier: DataSet | Object, name: str, arguments: Arguments
) -> Value | None:
    """The value of a method of a data set or a tape; None for another object."""
    if not isinstance(carrier, DataSet):
        return _call_tape(frame, name, arguments) if carrier == TAPE else None
    method = _METHODS.get(name)
    if method is None:
        return Unknown(f"`.{name}` of a data set")
    return method(frame, node, carrier, arguments)


def _call_tape(frame: Frame, name: str, arguments: Arguments) -> Value:
    """`tape.gradient(loss, sources)`: one array for each source, which is like it."""
    given = dict(zip(("target", "sources"), arguments.positional, strict=False))
    given |= arguments.keywords
    target, sources = given.get("target"), given.get("sources", given.get("source"))
    change = _DERIVED.get(name)
    if change is None or not arguments.complete or not isinstance(target, Tensor):
        return Unknown(f"`.{name}` of a tape")
    held = frame.state.now(sources)
    if isinstance(held, Items) and held.keys is None:
        parts = tuple(_each(frame, part, partial(change, target)) for part in held.values)
        return Items(parts)
    return _each(frame, held, partial(change, target))


def _gradient(_target: Tensor, source: Tensor) -> Value:
    return replace(source, parameter=False)


def _jacobian(target: Tensor, source: Tensor) -> Value:
    if target.shape.rank is None or source.shape.rank is None:
        return Unknown("a derivative of unknown rank")
    axes = (*target.shape.axes, *source.shape.axes)
    return replace(source, shape=Shape(axes), parameter=False)


def _jacobian_of_each(target: Tensor, source: Tensor) -> Value:
    if not target.shape.rank or not source.shape.rank:
        return Unknown("a derivative of unknown rank")
    axes = (*target.shape.axes, *source.shape.axes[1:])
    return replace(source, shape=Shape(axes), parameter=False)


_DERIVED: Mapping[str, Callable[[Tensor, Tensor], Value]] = {
    "gradient": _gradient,
    "jacobian": _jacobian,
    "batch_jacobian": _jacobian_of_each,
}
_KEEPING = "shuffle repeat prefetch take skip cache shard filter with_options ignore_errors"
_METHODS: Mapping[str, _Method] = {
    **dict.fromkeys(_KEEPING.split(), _same),
    "batch": _batched,
    "unbatch": _unbatched,
    "map": _mapped,
    "as_numpy_iterator": _as_arrays,
    "enumerate": _counted,
    "concatenate": _followed_by,
}
LIBRARY: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "tensorflow.data.Dataset.from_tensor_slices": _of_slices,
    "tensorflow.data.Dataset.from_tensors": _of_one,
    "tensorflow.data.Dataset.zip": _zipped,
    "tensorflow.GradientTape": _tape,
}
