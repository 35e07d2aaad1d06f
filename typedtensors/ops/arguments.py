# SPDX-License-Identifier: Apache-2.0
"""Parameters of an op, and how a call's arguments bind to them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.value import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typedtensors.ops.value import Value


class _Required:
    """Marks a parameter without default."""


_REQUIRED = _Required()


@dataclass(frozen=True)
class Parameters:
    """A Python parameter list: `Parameters.parse("input, dim=None, *, keepdim=False")`."""

    positional: tuple[str, ...]
    variadic: str | None
    keyword: tuple[str, ...]
    extra: str | None
    defaults: Mapping[str, Value]

    @staticmethod
    @lru_cache(maxsize=None)
    def parse(text: str) -> Parameters:
        """Read a parameter list as a `def` writes it; defaults are literals."""
        function = ast.parse(f"def op({text}): pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        args = function.args
        positional = tuple(arg.arg for arg in (*args.posonlyargs, *args.args))
        keyword = tuple(arg.arg for arg in args.kwonlyargs)
        named = zip(positional[len(positional) - len(args.defaults) :], args.defaults)
        only = ((name, node) for name, node in zip(keyword, args.kw_defaults) if node is not None)
        defaults = {name: _literal(node) for name, node in (*named, *only)}
        star, stars = args.vararg, args.kwarg
        return Parameters(
            positional, star and star.arg, keyword, stars and stars.arg, defaults
        )

    def bind(
        self, args: tuple[Value, ...], kwargs: Mapping[str, Value]
    ) -> Mapping[str, Value] | Unknown:
        """The arguments by parameter name, or Unknown if the call does not fit the parameters."""
        bound: dict[str, Value] = dict(zip(self.positional, args))
        if self.variadic:
            bound[self.variadic] = tuple(args[len(self.positional) :])
        elif len(args) > len(self.positional):
            return Unknown("more positional arguments than the rule knows")
        others = {}
        for name, value in kwargs.items():
            if name in bound or name not in {*self.positional, *self.keyword}:
                others[name] = value
            else:
                bound[name] = value
        if others and not self.extra:
            return Unknown(f"argument `{min(others)}` is not known to the rule")
        if self.extra:
            bound[self.extra] = others
        return self._complete(bound)

    def _complete(self, bound: dict[str, Value]) -> Mapping[str, Value] | Unknown:
        for name in (*self.positional, *self.keyword):
            value = bound.setdefault(name, self.defaults.get(name, _REQUIRED))
            if value is _REQUIRED:
                return Unknown(f"argument `{name}` is missing")
        return bound


def _literal(node: ast.expr) -> Value:
    value = ast.literal_eval(node)
    return Dim.of(value) if type(value) is int else value
