# SPDX-License-Identifier: Apache-2.0
"""Layers: a constructor that keeps its arguments, and what calling the result does.

`layer("torch.nn.Linear", ...)` registers two rules. `torch.nn.Linear` gives the value
`Layer("torch.nn.Linear", config)`; `torch.nn.Linear.forward` (or `.__call__`) is evaluated with
that layer, and reads the constructor's arguments beside the call's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.outcome import Conflict, Conflicting, Undetermined
from typedtensors.ops.registry import F, add, lookup
from typedtensors.ops.rule import Example, Rule
from typedtensors.ops.value import Layer, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.outcome import Outcome
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Tensor


def layer(
    *names: str,
    params: str,
    inputs: str = "input",
    methods: tuple[str, ...] = ("forward", "__call__"),
    examples: tuple[Example, ...] = (),
) -> Callable[[F], F]:
    """Register a function over `Call` as the forward of the layers `names`.

    `params` are the constructor's, `inputs` the forward's, under each of the names `methods`. Each
    example says `.on(...)` what layer it calls.
    """

    def register(forward: F) -> F:
        made = [example.layer for example in examples if example.layer is not None]
        add(Rule(names, params, _construct, examples=tuple(made)))
        called = tuple(f"{name}.{method}" for name in names for method in methods)
        apply = with_config(forward)
        add(Rule(called, inputs, apply, examples=examples))
        return forward

    return register


def _construct(call: Call) -> Layer:
    return Layer(call.op, dict(call.arguments))


def with_config(forward: Callable[[Call], Value]) -> Callable[[Call], Value]:
    """A rule of a layer's method, which reads the constructor's arguments beside its own."""

    def apply(call: Call) -> Value:
        if call.layer is None:
            raise Undetermined("the layer is not known")
        return forward(replace_arguments(call, {**call.layer.config, **call.arguments}))

    return apply


def replace_arguments(call: Call, arguments: dict[str, Value]) -> Call:
    """The same call with other arguments; what it shows is shown by both."""
    call.arguments = arguments
    return call


def call_layer(call: Call, module: Value, *values: Value) -> Value:
    """What a layer makes of values, inside a rule; the call learns what that shows.

    Raises Undetermined or Conflicting as the layer's own rule does.
    """
    outcome = _outcome(call, module, values)
    if isinstance(outcome, Unknown):
        raise Undetermined(outcome.reason)
    if isinstance(outcome, Conflict):
        raise Conflicting(outcome.diagnostic)
    for atom, dim in outcome.facts.equations.items():
        call.requires(Dim.atom(atom), dim)
    call.broadcasts += outcome.broadcasts
    return outcome.value


def _outcome(call: Call, module: Value, values: tuple[Value, ...]) -> Outcome:
    if not isinstance(module, Layer):
        return call.invoke(module, values)
    name = f"{module.name}.__call__"
    found = lookup(name)
    if found is None:
        return Unknown(f"`{name}` has no rule")
    return found.evaluate(name, values, {}, call.facts, layer=module, invoke=call.invoke)


def consume(call: Call, array: Tensor, index: int, needed: Value, by: str) -> None:
    """Require that an axis of the input has the size a layer was made for; learn from it.

    Raises Conflicting if it has another one.
    """
    axis = array.shape.axis(index)
    if axis is None or axis.flexible or not isinstance(needed, Dim):
        return
    if call.requires(axis.dim, needed) is Verdict.DIFFERENT:
        at = index if array.shape.rank is None else index % array.shape.rank
        where = wording.argument("input", call.name)
        raise Conflicting(
            wording.axis_differs(where, at, str(needed), str(axis.dim), bound_by=f"`{by}`")
        )
