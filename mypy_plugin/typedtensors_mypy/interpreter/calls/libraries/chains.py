# SPDX-License-Identifier: Apache-2.0
"""`nn.Sequential`: modules that are applied one after the other, and any number of them."""

from __future__ import annotations

import ast

from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.keras.models import pass_input
from typedtensors_mypy.interpreter.calls.libraries.containers import call_container_method
from typedtensors_mypy.interpreter.expressions.displays import entries
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.joins import join, join_all
from typedtensors_mypy.interpreter.values import Chain, Items, Stream, options
from typedtensors_mypy.source.keras_names import OF_EVERY_LAYER

_MOST_ROUNDS = 3


def make_chain(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """`nn.Sequential(a, b)`, of a dict of modules, or of modules of unknown number."""
    modules = arguments.positional
    if not arguments.complete:
        return _chain_of_any(node, arguments)
    named = entries(frame, modules[0]) if len(modules) == 1 else None
    return Chain(Items(modules if named is None else tuple(named.values())))


def _chain_of_any(node: ast.expr, arguments: Arguments) -> Value:
    """`nn.Sequential(first, *more, last)`: those of unknown number are a chain of their own."""
    written = node.args if isinstance(node, ast.Call) else []
    stars = [at for at, each in enumerate(written) if isinstance(each, ast.Starred)]
    modules, between = arguments.positional, Chain(Stream(arguments.rest))
    if len(stars) != 1 or len(modules) != len(written) - 1:
        return Unknown("modules of unknown number") if modules else between
    (at,) = stars
    return Chain(Items((*modules[:at], between, *modules[at:]))) if modules else between


def call_chain(frame: Frame, node: ast.expr, chain: Chain, arguments: Arguments) -> Value:
    """Each module on what the one before it gives; of any number of them, what none changes."""
    values = [each for name, each in arguments.keywords.items() if name not in OF_EVERY_LAYER]
    values = [*arguments.positional, *values]
    if not arguments.complete or len(values) != 1:
        return Unknown("a call whose arguments are not known")
    (value,) = values
    modules = frame.state.now(chain.modules)
    if isinstance(modules, Stream):
        return _through_any(frame, node, modules.item, value)
    if not isinstance(modules, Items):
        return Unknown("modules that are not known")
    for module in modules.values:
        if isinstance(module, Tensor):
            value = pass_input(frame, node, module, value)
        else:
            value = frame.run.call(frame, node, module, Arguments((value,)))
    return value


def _through_any(frame: Frame, node: ast.expr, module: Value, value: Value) -> Value:
    """What any number of modules like one of them give: the axes that it leaves as they are."""
    given = frame.run.call(frame, node, module, Arguments((value,)))
    opened: frozenset[int] = frozenset()
    for _ in range(_MOST_ROUNDS):
        made = join_all(options(given))
        if not isinstance(made, Tensor) or not isinstance(value, Tensor):
            break
        if made.shape == value.shape:
            return made
        wider = join(value, made)
        if not isinstance(wider, Tensor) or wider.shape.rank is None:
            break
        changed = _changed(value, wider)
        if changed <= opened:
            return wider
        value, opened = wider, opened | changed
        with frame.branch(frame.state.fork()), frame.run.silence():
            given = frame.run.call(frame, node, module, Arguments((value,)))
    return Unknown("what any number of modules give")


def _changed(before: Tensor, after: Tensor) -> frozenset[int]:
    """The axes that are not what they were."""
    pairs = zip(before.shape.axes, after.shape.axes, strict=True)
    return frozenset(at for at, (one, other) in enumerate(pairs) if one != other)


def call_chain_method(frame: Frame, chain: Chain, name: str, arguments: Arguments) -> Value:
    """A method of a `Sequential`: as those of a list, which give the `Sequential` itself."""
    if name in {"add_module", "add"}:
        name, arguments = "append", Arguments(arguments.positional[-1:])
    if name == "children":
        return chain.modules
    call_container_method(frame, chain.modules, name, arguments)
    return chain
