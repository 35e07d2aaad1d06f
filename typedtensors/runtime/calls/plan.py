# SPDX-License-Identifier: Apache-2.0
"""What to check about one function: values only, made by `planning`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from typedtensors.runtime.calls.links import ClassDims, Link
from typedtensors.runtime.hints.nodes import Hint


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that has something to check; `packed` for `*args` and `**kwargs`."""

    name: str
    annotation: Any
    hint: Hint
    packed: inspect._ParameterKind | None

    def values(self, argument: Any) -> Iterator[tuple[str, Any]]:
        """Yield each checked value and its path: one, or those that were packed."""
        if self.packed is inspect.Parameter.VAR_POSITIONAL:
            yield from ((f"[{index}]", value) for index, value in enumerate(argument))
        elif self.packed is inspect.Parameter.VAR_KEYWORD:
            yield from ((f"[{key!r}]", value) for key, value in argument.items())
        else:
            yield "", argument


@dataclass(frozen=True, slots=True)
class Result:
    """A value the function hands out: what it returns, or each value it yields."""

    annotation: Any
    hint: Hint


@dataclass(frozen=True, slots=True)
class Plan:
    """What to check about one function.

    Args:
        name: of the function.
        signature: of it.
        parameters: those that are checked, in order.
        names: the dims that they bind.
        returned: what it returns, if that is checked.
        yielded: what it yields, if that is checked.
        place: the line at which it begins.
        only_arrays: whether it is no error that a value is no array.
        links: those of its dims that may be dims of its class.
    """

    name: str
    signature: inspect.Signature
    parameters: tuple[Parameter, ...]
    names: frozenset[str]
    returned: Result | None
    yielded: Result | None
    place: str | None
    only_arrays: bool = False
    links: tuple[Link, ...] = ()

    @property
    def hints(self) -> tuple[Hint, ...]:
        """All that is checked."""
        found = (*self.parameters, self.returned, self.yielded)
        return tuple(each.hint for each in found if each is not None)

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The classes of arrays that are asked for."""
        arrays = (each for hint in self.hints for each in hint.annotations())
        return tuple(each.array_type for each in arrays)

    @property
    def receiver(self) -> str:
        """The parameter that holds the object, where there are links."""
        return next(iter(self.signature.parameters))


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How a plan is made.

    Args:
        final: whether a name that is missing is missing for good.
        only_arrays: whether hints that hold no array are passed over.
        dims: those of the class that the function is a method of.
    """

    final: bool
    only_arrays: bool = False
    dims: ClassDims = field(default_factory=dict)
