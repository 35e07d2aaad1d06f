# SPDX-License-Identifier: Apache-2.0
"""What Keras makes of an object of the user's before it is called: its weights, how it reduces."""

from __future__ import annotations

import ast

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.ops.steps.axes.sizes import sizes_of
from typedtensors.shapes import Axis, Bindings, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.annotations.declared import value_of
from typedtensors_mypy.interpreter.annotations.signature import signature_of
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method, keras_kind
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Function, Instance
from typedtensors_mypy.source.annotations.types import specs_of
from typedtensors_mypy.source.keras_names import Kind

# What a loss holds of how it reduces what `call` gives, under the name that Keras has for it.
REDUCTION, MEAN = "reduction", "sum_over_batch_size"


def keep_reduction(frame: Frame, instance: Instance, arguments: Arguments) -> None:
    """Let a loss know how it reduces: `super().__init__(name="...", reduction="sum")`."""
    if keras_kind(frame.run, instance.cls) is not Kind.LOSS:
        return
    second = arguments.positional[1:2] or (MEAN,)
    how = arguments.keywords.get(REDUCTION, second[0])
    instance.attributes[REDUCTION] = how if arguments.complete else Unknown("a reduction")


def build_weights(frame: Frame, node: ast.expr, instance: Instance) -> None:
    """Let a layer make what its `build` makes, of an input whose sizes are not known yet."""
    method = bound_method(frame, instance, "build")
    called = bound_method(frame, instance, "call")
    if method is None or called is None or frame.too_deep:
        return
    if keras_kind(frame.run, instance.cls) is not Kind.LAYER:
        return
    instance.building = True
    try:
        sizes = _sizes_of_input(frame, called)
        frame.run.call(frame, node, method, Arguments((sizes,)))
    finally:
        instance.building = False


def _sizes_of_input(frame: Frame, called: Function) -> Value:
    """As many sizes as the annotation of what `call` gets has, each of its own."""
    parameters = signature_of(frame.run, called).parameters[1:2]
    kinds = [parameter.type for parameter in parameters if parameter.annotated]
    bindings = Bindings().complete(spec for kind in kinds for spec in specs_of(kind))
    for kind in kinds:
        array = value_of(frame, kind, bindings, "input")
        if isinstance(array, Tensor) and array.shape.fixed is not None:
            return sizes_of(array.shape)
    return Shape((Variadic.fresh(), Axis(Dim.fresh("input_shape[-1]"))))
