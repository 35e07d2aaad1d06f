# SPDX-License-Identifier: Apache-2.0
"""`Arguments`, what a call is given."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from typedtensors.ops import Value
from typedtensors.shapes import Variadic


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call. `complete` is False if some `*args` or `**kwargs` is not known.

    Among the positional ones of an op may be a `Variadic`: sizes of unknown number (`*x.shape`).
    `more`: any number of further ones may follow, as for an object whose making nobody saw. `rest`:
    what each of any number of positional ones is like, of a call that is not complete.
    """

    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)
    nodes: tuple[ast.expr, ...] = ()
    keyword_nodes: dict[str, ast.expr] = field(default_factory=dict)
    complete: bool = True
    more: bool = False
    rest: Value = None

    def after(self, *values: Value) -> Arguments:
        """The arguments with more in front, as a method has its receiver."""
        nodes = (*[ast.Constant(None)] * len(values), *self.nodes) if self.nodes else ()
        positional = (*values, *self.positional)
        return replace(self, positional=positional, nodes=nodes)

    def with_defaults(self, keywords: Mapping[str, Value]) -> Arguments:
        """The arguments with keywords that hold where they say nothing else."""
        return replace(self, keywords={**keywords, **self.keywords})

    @property
    def counted(self) -> Arguments:
        """For code that counts them: not complete if among them are sizes of unknown number."""
        runs = any(isinstance(value, Variadic) for value in self.positional)
        return replace(self, positional=(), nodes=(), complete=False) if runs else self

    @property
    def values(self) -> tuple[Value, ...]:
        """All of them."""
        return (*self.positional, *self.keywords.values())
