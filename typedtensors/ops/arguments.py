# SPDX-License-Identifier: Apache-2.0
"""Parameters of an op, and how a call's arguments bind to them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops.value import Unknown

if TYPE_CHECKING:
    from typedtensors.ops.value import Value


# NumPy's words, which torch takes as well: `x.sum(axis=1, keepdims=True)`.
_ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "x2": "other"}


@dataclass(frozen=True)
class Parameters:
    """A Python parameter list: `Parameters.parse("input, dim=None, *, keepdim=False")`."""

    positional: tuple[str, ...]
    variadic: str | None
    keyword: tuple[str, ...]
    extra: str | None
    defaults: Mapping[str, Value]

    @staticmethod
    @cache
    def parse(text: str) -> Parameters:
        """Read a parameter list as a `def` writes it; defaults are literals."""
        args = ast.parse(f"lambda {text}: 0", mode="eval").body.args  # type: ignore[attr-defined]
        positional = tuple(arg.arg for arg in (*args.posonlyargs, *args.args))
        keyword = tuple(arg.arg for arg in args.kwonlyargs)
        optional = positional[len(positional) - len(args.defaults) :]
        named = zip((*optional, *keyword), (*args.defaults, *args.kw_defaults), strict=True)
        return Parameters(
            positional,
            args.vararg.arg if args.vararg else None,
            keyword,
            args.kwarg.arg if args.kwarg else None,
            {name: _literal(node) for name, node in named if node is not None},
        )

    @cached_property
    def named(self) -> frozenset[str]:
        """The parameters that have a name of their own."""
        return frozenset((*self.positional, *self.keyword))

    @cached_property
    def needed(self) -> frozenset[str]:
        """The parameters without a default."""
        return self.named.difference(self.defaults)

    def bind(
        self, args: tuple[Value, ...], kwargs: Mapping[str, Value]
    ) -> Mapping[str, Value] | Unknown:
        """The arguments by parameter name, or Unknown if the call does not fit the parameters."""
        bound: dict[str, Value] = dict(zip(self.positional, args, strict=False))
        if self.variadic:
            bound[self.variadic] = tuple(args[len(self.positional) :])
        elif len(args) > len(self.positional):
            return Unknown("more positional arguments than the rule knows")
        others: dict[str, Value] = {}
        for name, value in kwargs.items():
            own = name if name in self.named else _ALIASES.get(name, name)
            if own in bound or own not in self.named:
                others[name] = value
            else:
                bound[own] = value
        if others and not self.extra:
            return Unknown(f"argument `{min(others)}` is not known to the rule")
        if self.extra:
            bound[self.extra] = others
        return self._complete(bound)

    def _complete(self, bound: dict[str, Value]) -> Mapping[str, Value] | Unknown:
        missing = self.needed.difference(bound)
        if missing:
            first = next(each for each in (*self.positional, *self.keyword) if each in missing)
            return Unknown(f"argument `{first}` is missing")
        for name, default in self.defaults.items():
            bound.setdefault(name, default)
        return bound


def _literal(node: ast.expr) -> Value:
    return _as_value(ast.literal_eval(node))


def _as_value(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_as_value, value))
    return Dim.of(value) if type(value) is int else value
