# SPDX-License-Identifier: Apache-2.0
"""`Arguments`, what a call is given."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field, replace

from typedtensors.dims.quick import dataclass
from typedtensors.ops import Value
from typedtensors.shapes import Variadic

# Where an argument is written that no code writes.
_NOWHERE = ast.Constant(None)


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
        nodes = (*[_NOWHERE] * len(values), *self.nodes) if self.nodes else ()
        positional = (*values, *self.positional)
        keywords, by_name = self.keywords, self.keyword_nodes
        return Arguments(positional, keywords, nodes, by_name, self.complete, self.more, self.rest)

    def with_defaults(self, keywords: Mapping[str, Value]) -> Arguments:
        """The arguments with keywords that hold where they say nothing else."""
        return replace(self, keywords={**keywords, **self.keywords})

    @property
    def counted(self) -> Arguments:
        """For code that counts them: not complete if among them are sizes of unknown number."""
        if Variadic not in map(type, self.positional):
            return self
        return replace(self, positional=(), nodes=(), complete=False)

    @property
    def values(self) -> tuple[Value, ...]:
        """All of them."""
        return (*self.positional, *self.keywords.values())
