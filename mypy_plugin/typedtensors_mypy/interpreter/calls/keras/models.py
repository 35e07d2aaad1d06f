# SPDX-License-Identifier: Apache-2.0
"""Keras's models: of inputs and what layers make of them, or of layers one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace

from typedtensors.diagnostics import wording
from typedtensors.dims import Atom, Dim, Verdict
from typedtensors.ops import Framework, Unknown, Value, promotion
from typedtensors.shapes import ANY, Axis, DType, Part, Shape, Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.keras.batches import batched, first_size
from typedtensors_mypy.interpreter.calls.keras.training import compile_model, train
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    REPORTED,
    Chain,
    Instance,
    Items,
    Wired,
    of_framework,
)
from typedtensors_mypy.source import keras_names


def make_input(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`keras.Input(shape=(28, 28, 1))`: an array of a batch of those."""
    if not arguments.complete:
        return Unknown("an input of unknown shape")
    given = dict(zip(("shape", "batch_size", "dtype"), arguments.positional, strict=False))
    given |= arguments.keywords
    batch, sizes = given.get("batch_size"), given.get("shape")
    if "batch_shape" in given and isinstance(given["batch_shape"], tuple):
        batch, *sizes = given["batch_shape"] or (None,)
    if given.get("sparse") or given.get("ragged") or not isinstance(sizes, (tuple, list, Dim)):
        return Unknown("an input of unknown shape")
    sizes = [sizes] if isinstance(sizes, Dim) else sizes
    axes = (_axis(batch, "batch"), *(_axis(size, "_") for size in sizes))
    return of_framework(Tensor(Shape(axes), _element(given.get("dtype"))), Framework.TENSORFLOW)


def _axis(size: Value, name: str) -> Axis:
    return Axis(size if isinstance(size, Dim) else Dim.fresh(name))


def _element(given: Value) -> DType:
    if given is None:
        return promotion.DEFAULT_FLOAT
    known = isinstance(given, str) and promotion.kinds(DType.exactly(given))
    return DType.exactly(given) if known and isinstance(given, str) else ANY


def make_model(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`keras.Model(inputs, outputs)`: what the outputs are, of whatever the inputs are."""
    given = dict(zip(("inputs", "outputs"), arguments.positional, strict=False))
    given |= arguments.keywords
    if not arguments.complete or not {"inputs", "outputs"} <= given.keys():
        return Unknown("a model of unknown inputs")
    inputs, outputs = (_settled(frame, given[name]) for name in ("inputs", "outputs"))
    arrays = inputs if isinstance(inputs, tuple) else (inputs,)
    if not all(isinstance(array, Tensor) and array.shape.fixed for array in arrays):
        return Unknown("a model of unknown inputs")
    return Wired(inputs, outputs)


def _settled(frame: Frame, value: Value) -> Value:
    """The value as it is for good: with what was learned, and without lists that may change."""
    if isinstance(value, Tensor):
        facts = frame.state.facts
        return _substituted(value, facts.resolve)
    held = as_sequence(frame, value) if isinstance(value, (tuple, Items)) else value
    return tuple(_settled(frame, each) for each in held) if isinstance(held, tuple) else held


def call_wired(frame: Frame, node: ast.expr, model: Wired, arguments: Arguments) -> Value:
    """What a model makes of arrays, if they have the shapes of its inputs."""
    given = _only_array(frame, arguments)
    inputs = model.inputs if isinstance(model.inputs, tuple) else (model.inputs,)
    arrays = given if isinstance(given, tuple) else (given,)
    if len(arrays) != len(inputs) or not all(isinstance(array, Tensor) for array in arrays):
        return Unknown("inputs that are not known")
    known: dict[Atom, Dim] = {}
    for wanted, array in zip(inputs, arrays, strict=True):
        problem = _fit(frame, node, wanted, array, known)
        if problem is not None:
            return problem
    return _instantiated(model.outputs, known)


def _only_array(frame: Frame, arguments: Arguments) -> Value:
    """What a model is called with, beside what every layer takes."""
    values = [*arguments.positional]
    values += [
        v for name, v in arguments.keywords.items() if name not in keras_names.OF_EVERY_LAYER
    ]
    if not arguments.complete or not values:
        return Unknown("arguments that are not known")
    (first, *_) = values
    held = as_sequence(frame, first) if isinstance(first, Items) else first
    return held if isinstance(held, tuple) else first


def _fit(
    frame: Frame, node: ast.expr, wanted: Value, array: Value, known: dict[Atom, Dim]
) -> Value | None:
    """Let an array be an input: what sizes stand for, None; or the reason why nothing is known."""
    assert isinstance(wanted, Tensor) and isinstance(array, Tensor)  # noqa: S101, PT018 - looked at
    axes, own = wanted.shape.fixed or (), array.shape.fixed
    if own is None:
        return Unknown("the rank is not known")
    if len(axes) != len(own):
        if abs(len(axes) - len(own)) == 1:
            return Unknown("Keras may add or drop an axis of 1")
        where = wording.argument("inputs", "Model")
        frame.report(node, wording.rank_differs(where, wanted.shape.text, array.shape.text))
        return REPORTED
    for at, (axis, given) in enumerate(zip(axes, own, strict=True)):
        if not _agree(frame, axis, given, known):
            where = wording.argument("inputs", "Model")
            frame.report(node, wording.axis_differs(where, at, str(axis), str(given)))
            return REPORTED
    return None


def _agree(frame: Frame, axis: Axis, given: Axis, known: dict[Atom, Dim]) -> bool:
    """Whether an axis may be that of an input; an input of unknown size takes any."""
    if given.flexible:
        known.update((atom, Dim.fresh()) for atom in _open(axis.dim))
        return True
    wanted = axis.dim.substitute(known)
    opened = _open(wanted)
    if opened and wanted.factor in opened:
        known[opened[0]] = given.dim
        return True
    verdict, frame.state.facts = frame.state.facts.require(given.dim, wanted)
    return verdict is not Verdict.DIFFERENT


def _open(dim: Dim) -> list[Atom]:
    """The atoms of a size that each call decides anew."""
    return [atom for atom in dim.atoms if not atom.declared and not atom.scope]


def _instantiated(value: Value, known: Mapping[Atom, Dim]) -> Value:
    if isinstance(value, Tensor):
        return _substituted(value, lambda dim: dim.substitute(known))
    if isinstance(value, tuple):
        return tuple(_instantiated(each, known) for each in value)
    return value


def _substituted(array: Tensor, change: Callable[[Dim], Dim]) -> Tensor:
    def part(each: Part) -> Part:
        return each.with_dim(change(each.dim)) if isinstance(each, Axis) else each

    return replace(array, shape=Shape(tuple(map(part, array.shape.axes))))


def make_sequential(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`keras.Sequential([...])`, to which `add` may add layers."""
    given = arguments.positional[0] if arguments.positional else arguments.keywords.get("layers")
    if not arguments.complete:
        return Unknown("layers of unknown number")
    held = () if given is None else as_sequence(frame, given)
    return Chain(Items(held)) if isinstance(held, tuple) else Unknown("layers of unknown number")


def pass_input(frame: Frame, node: ast.expr, wanted: Tensor, value: Value) -> Value:
    """The value behind an `Input` at the start of a `Sequential`, whose shape it must have."""
    if not isinstance(value, Tensor):
        return value
    problem = _fit(frame, node, wanted, value, {})
    return problem if problem == REPORTED else value


def call_method(
    frame: Frame, node: ast.expr, model: Value, name: str, arguments: Arguments
) -> Value | None:
    """The value of a method that Keras gives models and layers; None for another one."""
    if name == keras_names.COMPILING and isinstance(model, (Chain, Wired, Instance)):
        return compile_model(frame, model, arguments)
    if name in keras_names.TRAINING and isinstance(model, (Chain, Wired, Instance)):
        return train(frame, node, model, name, arguments)
    if name in keras_names.PREDICTING:
        return _predicted(frame, node, model, arguments)
    if name in keras_names.WEIGHING and isinstance(model, Instance):
        return _weight(arguments)
    if name in keras_names.HARMLESS and isinstance(model, (Chain, Wired)):
        return Unknown(f"`.{name}` of a model")
    return None


def _predicted(frame: Frame, node: ast.expr, model: Value, arguments: Arguments) -> Value:
    """`model.predict(x)`: what calling the model gives, batch by batch, as arrays of NumPy's."""
    if not arguments.complete or not arguments.positional:
        return Unknown("a prediction of unknown arrays")
    batch = Dim.fresh("batch")
    given = arguments.positional[0]
    total = first_size(frame, given)
    if total is None:
        return Unknown("a prediction of unknown arrays")
    value = frame.run.call(frame, node, model, Arguments((batched(frame, given, batch),)))
    if not _holds_arrays(value):
        return value
    # A model that asks for batches of 4 tells what a batch is, and not how many rows there are.
    value, batch = _settled(frame, value), frame.state.facts.resolve(batch)
    arrays = value if isinstance(value, tuple) else (value,)
    whole = all(first_size(frame, each) == batch for each in arrays)
    return of_framework(batched(frame, value, total if whole else Dim.fresh()), Framework.NUMPY)


def _holds_arrays(value: Value) -> bool:
    return isinstance(value, Tensor) or (
        isinstance(value, tuple) and all(isinstance(each, Tensor) for each in value)
    )


def _weight(arguments: Arguments) -> Value:
    """`self.add_weight(shape=(n, self.units))`: an array that the layer keeps."""
    given = dict(zip(("shape", "initializer", "dtype"), arguments.positional, strict=False))
    given |= arguments.keywords
    if not arguments.complete or isinstance(given.get("shape"), str):
        return Unknown("a weight of unknown shape")
    sizes = given.get("shape", ())
    sizes = () if sizes is None else sizes
    sizes = (sizes,) if isinstance(sizes, Dim) else sizes
    if not isinstance(sizes, (tuple, list)):
        return Unknown("a weight of unknown shape")
    shape = Shape(tuple(_axis(size, "_") for size in sizes))
    made = Tensor(shape, _element(given.get("dtype")), parameter=True)
    return of_framework(made, Framework.TENSORFLOW)
