# SPDX-License-Identifier: Apache-2.0
"""Gradients, and calls that are made for their sake: the same as without, as far as shapes go."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Items

# What `checkpoint` takes beside the arguments of the function.
_SETTINGS = frozenset(
    {"use_reentrant", "preserve_rng_state", "context_fn", "debug", "determinism_check"}
)


def _gradients(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """`torch.autograd.grad(outputs, inputs)`: a gradient for each input."""
    given = dict(zip(("outputs", "inputs"), arguments.positional, strict=False))
    inputs = frame.state.now({**given, **arguments.keywords}.get("inputs"))
    held = as_sequence(frame, inputs) if isinstance(inputs, (tuple, Items)) else (inputs,)
    if not isinstance(held, tuple):
        return Unknown("gradients of unknown arrays")
    known = (each if isinstance(each, Tensor) else None for each in held)
    return tuple(
        Unknown("the gradient of what is not known") if each is None else _plain(each)
        for each in known
    )


def _plain(array: Tensor) -> Tensor:
    return Tensor(array.shape, array.dtype)


def _checkpoint(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """A function, called as without; its intermediate results are made again later."""
    if not arguments.positional or not arguments.complete:
        return Unknown("a call whose arguments are not known")
    function, *values = arguments.positional
    named = {key: value for key, value in arguments.keywords.items() if key not in _SETTINGS}
    return frame.run.call(frame, node, function, Arguments(tuple(values), named))


def _functional_call(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """A module, called with other weights of the same sizes."""
    if len(arguments.positional) != 3 or arguments.keywords:
        return Unknown("a call whose arguments are not known")
    module, _, values = arguments.positional
    given = values if isinstance(values, tuple) else (values,)
    return frame.run.call(frame, node, module, Arguments(given))


AUTOGRAD: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "torch.autograd.grad": _gradients,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.func.functional_call": _functional_call,
}
