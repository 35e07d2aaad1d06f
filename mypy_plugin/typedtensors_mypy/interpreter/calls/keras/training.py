# SPDX-License-Identifier: Apache-2.0
"""What `fit` makes of what `compile` was given: the model's outputs meet the targets in its losses.

Keras hands a loss one batch of both, as its own float. A function it wraps in a loss that brings
them to one rank first; an object it calls as it is. A metric's function gets them as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Framework, Layer, Unknown, Value, promotion
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.calls.keras.batches import batched, first_size
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence, item_of
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import (
    Chain,
    Function,
    Instance,
    Items,
    Stream,
    Wired,
    of_framework,
)
from typedtensors_mypy.source import keras_names
from typedtensors_mypy.source.program import External

Model = Chain | Wired | Instance

_COMPILED = ("optimizer", "loss", "loss_weights", "metrics")
_KEPT = ("loss", "metrics")
_FED = {
    "fit": ("x", "y"),
    "evaluate": ("x", "y", "batch_size", "verbose", "sample_weight"),
    "train_on_batch": ("x", "y", "sample_weight"),
    "test_on_batch": ("x", "y", "sample_weight"),
}
_NOTHING = Unknown("what training a model gives")


@dataclass(frozen=True)
class _Data:
    """What a model is trained or tested on: inputs, targets, and what each sample counts."""

    inputs: Value
    targets: Value
    weights: Value = None

    @property
    def whole(self) -> tuple[Value, ...]:
        """What a step gets."""
        parts = (self.inputs, self.targets, self.weights)
        return parts if self.weights is not None else parts[:2]


def compile_model(frame: Frame, model: Model, arguments: Arguments) -> Value:
    """`model.compile(loss="mse", metrics=["mae"])`: what the model is trained with from here on."""
    given = dict(zip(_COMPILED, arguments.positional, strict=False)) | arguments.keywords
    known = tuple(given.get(name) if arguments.complete else _NOTHING for name in _KEPT)
    frame.state.change(model.settings, replace(model.settings, values=known, keys=_KEPT))
    return _NOTHING


def train(frame: Frame, node: ast.expr, model: Model, name: str, arguments: Arguments) -> Value:
    """`model.fit(x, y)`: tells of what the losses make of the model's outputs and the targets."""
    settings = frame.state.now(model.settings)
    if not isinstance(settings, Items) or not settings.values or not arguments.complete:
        return _NOTHING
    given = dict(zip(_FED[name], arguments.positional, strict=False)) | arguments.keywords
    data = _Data(*(given.get(each) for each in ("x", "y", "sample_weight")))
    validation = _of_validation(frame, given.get("validation_data"))
    for step, part in ((keras_names.STEP[name], data), ("test_step", validation)):
        if part is not None:
            _Comparison(frame, node, model).run(part, step, *settings.values)
    return _NOTHING


def _own(frame: Frame, model: Model, name: str) -> Function | None:
    """A method of the model that the program defines."""
    return bound_method(frame, model, name) if isinstance(model, Instance) else None


def _of_validation(frame: Frame, given: Value) -> _Data | None:
    held = as_sequence(frame, given) if isinstance(given, Items) else given
    if isinstance(held, tuple) and len(held) in {2, 3}:
        return _Data(*held)
    return _Data(held, None) if isinstance(held, Stream) else None


@dataclass(frozen=True)
class _Comparison:
    """One pass over data, at a call of a model's method."""

    frame: Frame
    node: ast.expr
    model: Model

    def run(self, data: _Data, step: str, loss: Value, metrics: Value) -> None:
        """Tell of what is wrong with what the model gives for the inputs, beside the targets."""
        batch = self._batch_of(data)
        if batch is None:
            return
        frame = self.frame
        method = _own(frame, self.model, step)
        with frame.branch(frame.state.fork()):
            # What one batch teaches about its size is not so of the next.
            if method is not None:
                frame.run.call(frame, self.node, method, Arguments((batch.whole,)))
                return
            if _own(frame, self.model, keras_names.LOSS_OF_A_STEP) is not None:
                return
            outputs = frame.run.call(frame, self.node, self.model, Arguments((batch.inputs,)))
            self._compare(outputs, batch, loss, self._loss)
            for metric in self._metrics(metrics):
                self._compare(outputs, replace(batch, weights=None), metric, self._metric)

    def _batch_of(self, data: _Data) -> _Data | None:
        """One batch of the data; None if it is not known, or its parts do not go together."""
        if isinstance(data.inputs, Stream):
            item = item_of(self.frame, data.inputs)
            return _Data(*item) if isinstance(item, tuple) and len(item) in {2, 3} else None
        frame, size = self.frame, first_size(self.frame, data.inputs)
        of_targets = first_size(frame, data.targets)
        if size is None or of_targets is None:
            return None
        verdict, frame.state.facts = frame.state.facts.equate(of_targets, size)
        if verdict is Verdict.DIFFERENT:
            where = wording.argument("y", "fit")
            frame.report(self.node, wording.axis_differs(where, 0, str(size), str(of_targets)))
            return None
        one = Dim.several("batch")
        inputs, targets = (batched(frame, each, one) for each in (data.inputs, data.targets))
        known = first_size(frame, data.weights) is not None
        weights = batched(frame, data.weights, one) if known else None
        return _Data(*(_of_tensorflow(each, ANY) for each in (inputs, targets, weights)))

    def _compare(
        self, outputs: Value, batch: _Data, measure: Value, apply: Callable[..., None]
    ) -> None:
        """Compare each output with its target, by one measure for all or by one for each."""
        held = as_sequence(self.frame, measure) if isinstance(measure, Items) else measure
        if isinstance(outputs, tuple):
            targets = batch.targets if isinstance(batch.targets, tuple) else ()
            pairs = [*zip(outputs, targets, strict=False)] if len(targets) == len(outputs) else []
        else:
            pairs = [(outputs, batch.targets)]
        measures = held if isinstance(held, tuple) else (held,) * len(pairs)
        for (output, target), each in zip(pairs, measures, strict=False):
            if isinstance(output, Tensor) and isinstance(target, Tensor):
                apply(each, target, output, batch.weights)

    def _loss(self, loss: Value, target: Tensor, output: Tensor, weights: Value) -> None:
        """A loss compares floats, and brings them to one rank unless it is an object."""
        kept = _of_tensorflow(target, promotion.DEFAULT_FLOAT)
        made = _class_of(loss)
        if made is not None:
            external = External(f"keras.losses.{made}")
            loss = self.frame.run.call(self.frame, self.node, external, Arguments())
        if isinstance(loss, Function):
            pair = _of_one_rank(self.frame, kept, output)
            if pair is not None:
                self._call(loss, pair)
        elif isinstance(loss, (Layer, Instance)):
            given = (kept, output) if weights is None else (kept, output, weights)
            self._call(loss, given)

    def _metric(self, metric: Value, target: Tensor, output: Tensor, _weights: Value) -> None:
        """A metric gets the targets as they are, but for the precision of floats."""
        if isinstance(metric, (Function, Instance)):
            self._call(metric, (_of_tensorflow(target, ANY), output))

    def _metrics(self, given: Value) -> tuple[Value, ...]:
        held = as_sequence(self.frame, given) if isinstance(given, Items) else given
        return held if isinstance(held, tuple) else ()

    def _call(self, measure: Value, given: tuple[Value, ...]) -> None:
        # The arguments of `fit` are not those of the measure, so none of them is to be edited.
        place = self.node.func if isinstance(self.node, ast.Call) else self.node
        self.frame.run.call(self.frame, place, measure, Arguments(given))


def _class_of(loss: Value) -> str | None:
    """The class of Keras's that a loss is made, which is given by a name or as a function."""
    if isinstance(loss, str):
        return keras_names.loss_class(loss)
    if isinstance(loss, External) and ".losses." in loss.name:
        return keras_names.loss_class(loss.name.rpartition(".")[2])
    return None


def _of_tensorflow(value: Value, dtype: DType) -> Value:
    """The arrays as Keras makes tensors of them."""
    if isinstance(value, tuple):
        return tuple(_of_tensorflow(each, dtype) for each in value)
    if not isinstance(value, Tensor):
        return value
    return of_framework(replace(value, dtype=dtype), Framework.TENSORFLOW)


def _of_one_rank(frame: Frame, target: Value, output: Tensor) -> tuple[Value, Value] | None:
    """The arrays as a function gets them: a last axis of 1 that one of them lacks is no difference.

    None where that is not known.
    """
    if not isinstance(target, Tensor) or target.shape.fixed is None or output.shape.fixed is None:
        return None
    ranks = len(target.shape.fixed), len(output.shape.fixed)
    if abs(ranks[0] - ranks[1]) != 1:
        return target, output
    longer, shorter = (target, output) if ranks[0] > ranks[1] else (output, target)
    last = frame.state.facts.resolve(longer.shape.fixed[-1].dim)  # type: ignore[index]  # looked at
    if last.value is None and not last.declared:
        return None
    if last.value != 1:
        return target, output
    column = replace(shorter, shape=Shape((*shorter.shape.axes, Axis(Dim.of(1)))))
    row = replace(longer, shape=Shape(longer.shape.axes[:-1]))
    grown = len(shorter.shape.axes) == 1
    changed = (longer, column) if grown else (row, shorter)
    return changed if longer is target else changed[::-1]
