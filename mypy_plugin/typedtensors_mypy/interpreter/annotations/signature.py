# SPDX-License-Identifier: Apache-2.0
"""`Signature`, what the head of a function says, and how the arguments of a call fit it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from typedtensors.dims.quick import cached_property, dataclass
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Bindings, Spec
from typedtensors.shapes.broadcast import ACCEPTING
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.values import Function, Items
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import (
    AnnotationType,
    MappingType,
    ScalarType,
    StreamType,
    specs_of,
)
from typedtensors_mypy.source.modules import AnyFunction
from typedtensors_mypy.source.program import External
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.syntax.contents import contents

_INTEGER = ScalarType("int")
# Decorators that are accounted for in a signature.
_OWN = {"builtins.staticmethod", "builtins.classmethod", *library.PROPERTIES, *library.MANAGERS}


@dataclass(frozen=True)
class Parameter:
    """One parameter. `kind` is "positional", "keyword", "*" or "**"."""

    name: str
    kind: str
    type: AnnotationType
    default: ast.expr | None = None
    annotated: bool = False


@dataclass(frozen=True)
class Signature:
    """Parameters and result of a function.

    `plain`: no decorator changes what a call of it is. `manager`: a call makes a context manager of
    what the function yields. `receiver`: what its first parameter is, for a method: "self", "cls"
    or nothing. `accepting`: it is decorated with `allow_broadcast()`.
    """

    parameters: tuple[Parameter, ...]
    returns: AnnotationType
    returns_node: ast.expr | None
    plain: bool
    manager: bool
    receiver: str
    generator: bool
    is_async: bool
    is_property: bool
    accepting: bool = False

    @cached_property
    def specs(self) -> tuple[Spec, ...]:
        """Every spec of a parameter."""
        return tuple([spec for each in self.parameters for spec in specs_of(each.type)])

    @cached_property
    def arrays(self) -> tuple[Parameter, ...]:
        """The parameters that have a spec."""
        return tuple([each for each in self.parameters if specs_of(each.type)])

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The `int` parameters that are dims: not those that an array binds, often a new count."""
        bound = {name for spec in self.specs for name in spec.names}
        integers = [each.name for each in self.parameters if each.type == _INTEGER]
        return tuple([name for name in integers if name not in bound])

    @cached_property
    def declared(self) -> Bindings:
        """Each name of a spec stands for itself, as it does inside the function."""
        return Bindings.declared(self.specs)

    @cached_property
    def shaped(self) -> bool:
        """Whether some parameter declares dims."""
        return bool(self.specs) or any(each.type == _INTEGER for each in self.parameters)

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The parameters that take arguments by position."""
        return tuple(p.name for p in self.parameters if p.kind == "positional")

    @cached_property
    def named(self) -> frozenset[str]:
        """The parameters that take arguments by name."""
        return frozenset(p.name for p in self.parameters if p.kind in {"positional", "keyword"})

    @cached_property
    def needed(self) -> frozenset[str]:
        """The parameters without which there is no call."""
        return frozenset(p.name for p in self.parameters if p.default is None and p.kind[0] != "*")

    @cached_property
    def rest(self) -> str | None:
        """The parameter that takes all further arguments by position."""
        return next((p.name for p in self.parameters if p.kind == "*"), None)

    @cached_property
    def named_rest(self) -> str | None:
        """The parameter that takes all further arguments by name."""
        return next((p.name for p in self.parameters if p.kind == "**"), None)


def signature_of(run: Run, function: Function) -> Signature:
    """The signature of a function value, read once; a method's head sees its class's names."""
    known = run.signatures.get(id(function.node))
    if known is None:
        owner = function.owner
        scope = function.scope if owner is None else owner.scope.inside(owner.node)
        known = _read(function.node, scope, method=owner is not None)
        run.signatures[id(function.node)] = known
    return known


def _read(node: AnyFunction, scope: Scope, *, method: bool) -> Signature:
    names = [_decorator(scope, decorator) for decorator in node.decorator_list]
    receiver = "self" if method else ""
    if "builtins.staticmethod" in names:
        receiver = ""
    elif "builtins.classmethod" in names or node.name == "__new__":
        receiver = "cls"
    properties = library.PROPERTIES.intersection(name for name in names if name)
    return Signature(
        parameters=tuple(_parameters(node.args, scope)),
        returns=type_of(scope, node.returns),
        returns_node=node.returns,
        plain=all(is_transparent(scope, decorator) for decorator in node.decorator_list),
        manager=not library.MANAGERS.isdisjoint(name for name in names if name),
        receiver=receiver,
        generator=scope.module.once(contents, node).yields,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_property=bool(properties),
        accepting=not ACCEPTING.isdisjoint(name for name in names if name),
    )


def is_transparent(scope: Scope, decorator: ast.expr) -> bool:
    """Whether a decorator leaves a call of the function what it was."""
    name = _decorator(scope, decorator)
    return name is not None and (name in _OWN or library.is_transparent(name))


def _decorator(scope: Scope, node: ast.expr) -> str | None:
    target = scope.target(node.func if isinstance(node, ast.Call) else node)
    return target.name if isinstance(target, External) else None


def _parameters(args: ast.arguments, scope: Scope) -> Iterator[Parameter]:
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    for arg, default in zip(positional, defaults, strict=True):
        yield _parameter(arg, "positional", default, scope)
    if args.vararg is not None:
        yield _parameter(args.vararg, "*", None, scope)
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield _parameter(arg, "keyword", default, scope)
    if args.kwarg is not None:
        yield _parameter(args.kwarg, "**", None, scope)


def _parameter(arg: ast.arg, kind: str, default: ast.expr | None, scope: Scope) -> Parameter:
    read = type_of(scope, arg.annotation)
    if kind == "*":
        read = StreamType(read)
    elif kind == "**":
        read = MappingType(read)
    return Parameter(arg.arg, kind, read, default, arg.annotation is not None)


@dataclass(frozen=True)
class Given:
    """The argument that a parameter gets, and where it is written; no node for a default."""

    value: Value
    node: ast.expr | None = None


def fit(signature: Signature, arguments: Arguments) -> Mapping[str, Given] | None:
    """The arguments by parameter; None if they do not fit, which mypy tells itself.

    Parameters left to their defaults are not in the result.
    """
    if not arguments.complete:
        return None
    positional, named = signature.positional, signature.named
    nodes = arguments.nodes or (None,) * len(arguments.positional)
    pairs = map(Given, arguments.positional, nodes)
    found = dict(zip(positional, pairs, strict=False))
    rest = arguments.positional[len(positional) :]
    if signature.rest is not None:
        found[signature.rest] = Given(Unknown("any arguments") if arguments.more else rest)
    elif rest:
        return None
    others: dict[str, Value] = {}
    for name, value in arguments.keywords.items():
        if name in named and name not in found:
            found[name] = Given(value, arguments.keyword_nodes.get(name))
        else:
            others[name] = value
    if signature.named_rest is not None:
        everything = Unknown("any arguments") if arguments.more else _dict_of(others)
        found[signature.named_rest] = Given(everything)
    elif others:
        return None
    return found if signature.needed <= found.keys() else None


def _dict_of(named: Mapping[str, Value]) -> Items:
    return Items(tuple(named.values()), tuple(named))
