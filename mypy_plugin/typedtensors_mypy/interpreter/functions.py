# SPDX-License-Identifier: Apache-2.0
"""Functions of the user's, gone through by themselves: what their annotations let come in."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from typedtensors.dims import Atom, Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Bindings
from typedtensors_mypy.interpreter.annotations.declared import value_of
from typedtensors_mypy.interpreter.annotations.objects import sizes_of
from typedtensors_mypy.interpreter.annotations.signature import Signature, signature_of
from typedtensors_mypy.interpreter.calls.classes import keras_kind, some_instance
from typedtensors_mypy.interpreter.calls.constructors import ensure_built
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.values import Function, Instance
from typedtensors_mypy.interpreter.ways import given_or_not, tell_of_all, tell_of_each, ways
from typedtensors_mypy.source.annotations.types import UNANNOTATED, StreamType, specs_of
from typedtensors_mypy.source.syntax.contents import contents

_SHORTEST_NAME = 2


def interpret(run: Run, function: Function) -> None:
    """Go through a function by itself: its parameters are whatever their annotations say."""
    frame = alone(run, function)
    found, optional = ways(frame.state.values), given_or_not(function.node, frame.state.values)
    doubts, told = run.doubts, len(run.findings)
    go_through(frame)
    if found and run.doubts > doubts:
        frames = (alone(run, function, chosen) for chosen in found)
        tell_of_all(run, frames, go_through)
    elif optional and len(run.findings) == told:
        frames = (alone(run, function, chosen) for chosen in optional)
        tell_of_each(run, frames, go_through)


def alone(
    run: Run,
    function: Function,
    chosen: Mapping[str, Value] | None = None,
    own: Instance | None = None,
) -> Frame:
    """A function's frame where nobody calls it; `chosen` are parameters that are known better.

    A method belongs to `own`, or else to some object of its class.
    """
    signature = signature_of(run, function)
    frame = activation(run, function)
    sizes = _own_sizes(frame, signature)
    bindings = _own_bindings(signature, sizes)
    values = _own_values(frame, signature, sizes, bindings)
    if signature.receiver and signature.parameters:
        receiver = own or _receiver(frame, function, signature)
        values[signature.parameters[0].name] = receiver
        frame.own = receiver if isinstance(receiver, Instance) else None
    frame.state.values.update({**values, **(chosen or {})})
    frame.absent = frozenset(name for name, value in (chosen or {}).items() if value is None)
    declared = (size.atoms for size in sizes.values() if size.declared)
    frame.state.facts = replace(
        frame.state.facts,
        chosen=frozenset().union(*declared),
        called=_called(frame, signature),
    )
    frame.bindings = bindings
    frame.accepting = signature.accepting
    frame.returns = UNANNOTATED if signature.generator else signature.returns
    if signature.generator and isinstance(signature.returns, StreamType):
        frame.yielding = signature.returns.item
    return frame


def _called(frame: Frame, signature: Signature) -> frozenset[Atom]:
    """The sizes of a method's object whose names its annotations give to axes.

    A name of a letter or two stands for anything.
    """
    specs = (*signature.specs, *specs_of(signature.returns))
    names = {name for spec in specs for name in spec.names}
    if frame.own is None or frame.own.building or not names:
        return frozenset()
    ensure_built(frame, frame.own)
    return frozenset(
        size
        for size in sizes_of(frame.run, frame.own)
        if size.name in names and len(size.name) > _SHORTEST_NAME
    )


def _receiver(frame: Frame, function: Function, signature: Signature) -> Value:
    run = frame.run
    if function.owner is None:
        return Unknown("not a method")
    if signature.receiver == "cls":
        return function.owner
    if function.node.name == "__init__":
        return Instance(function.owner, building=True)
    if function.node.name == "build" and keras_kind(run, function.owner) is not None:
        known = some_instance(run, function.owner)
        ensure_built(frame, known)
        return Instance(function.owner, {**known.attributes}, building=True)
    return some_instance(run, function.owner)


def activation(run: Run, function: Function) -> Frame:
    """A frame for a call of a function, its parameters not bound yet."""
    node = function.node
    inside = function.scope.module.once(contents, node)
    return Frame(
        run,
        function.scope.inside(node),
        function=node,
        name=function.name,
        owner=function.owner,
        callee=function,
        closure=dict(function.closure),
        local=inside.bound,
        shared=inside.shared,
    )


def _own_bindings(signature: Signature, sizes: Mapping[str, Dim]) -> Bindings:
    """Each name that a parameter declares stands for itself."""
    bindings = signature.declared
    for name, size in sizes.items():
        bindings = bindings.bind(name, size)
    return bindings


def _own_sizes(frame: Frame, signature: Signature) -> dict[str, Dim]:
    """What the integers among the parameters are: each a size of its own.

    One that the code compares with something else may well be as large: `k` in `if k >= len(x)`.
    """
    if not signature.sizes or frame.function is None:
        return {}
    compared = frozenset().union(*frame.scope.module.once(contents, frame.function).compared)
    return {
        name: Dim.opaque(name) if name in compared else Dim.name(name) for name in signature.sizes
    }


def _own_values(
    frame: Frame, signature: Signature, sizes: Mapping[str, Dim], bindings: Bindings
) -> dict[str, Value]:
    """What the parameters are inside the function, by their annotations."""
    values = {
        parameter.name: value_of(frame, parameter.type, bindings, parameter.name)
        for parameter in signature.parameters
    }
    return {**values, **sizes}


def go_through(frame: Frame) -> None:
    """Go through the body of a frame's function; falling off its end returns None."""
    if frame.run.sightings is not None:
        _see_parameters(frame)
    frame.execute(frame.function.body if frame.function is not None else [])
    if frame.state.alive:
        frame.exits.append(frame.state)
        frame.outcomes.append(None)


def _see_parameters(frame: Frame) -> None:
    # Not the arguments of a lambda, which a default may be.
    for node in ast.iter_child_nodes(frame.function.args) if frame.function is not None else ():
        if isinstance(node, ast.arg):
            frame.sight(node, frame.state.values[node.arg])
