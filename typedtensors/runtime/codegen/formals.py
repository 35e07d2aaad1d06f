# SPDX-License-Identifier: Apache-2.0
"""The parameters of a function as its generated twin declares them, and passes them on."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from typedtensors.runtime.codegen.code import Code
from typedtensors.runtime.codegen.support import ABSENT
from typedtensors.runtime.hints.containers import UnionHint
from typedtensors.runtime.hints.nodes import NONE, Hint

# Such a default binds nothing, so that it makes no difference whether it was passed.
_PLAIN_DEFAULTS = (type(None), bool, int, float, complex, str, bytes)


@dataclass(frozen=True)
class Formal:
    """One parameter.

    Invariant: exactly one of `default` and `marked` is set for a parameter with a default.

    Args:
        parameter: as `inspect` describes it.
        default: the name of its default value, which is checked as any other value.
        marked: the name of its default value, which is not: the twin declares a mark for
            "not passed" instead.
    """

    parameter: Parameter
    default: str | None = None
    marked: str | None = None

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.parameter.name

    @property
    def is_packed(self) -> bool:
        """Whether it is `*args` or `**kwargs`."""
        return self.parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)

    def value(self, absent: str) -> str:
        """Write the value that the function sees."""
        return (
            f"({self.marked} if {self.name} is {absent} else {self.name})"
            if self.marked
            else self.name
        )


@dataclass(frozen=True)
class Formals:
    """All parameters; `absent` is the name of the mark for what was not passed."""

    each: tuple[Formal, ...]
    absent: str

    @property
    def arguments(self) -> Mapping[str, str]:
        """How each argument is read."""
        return {formal.name: formal.value(self.absent) for formal in self.each}

    @property
    def values(self) -> str:
        """The tuple of all arguments, or their marks."""
        names = [formal.name for formal in self.each]
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"

    def declared(self) -> str:
        """Write the parameter list of the twin."""
        return ", ".join(_with_separators(self.each, self.absent))

    def passed(self) -> str:
        """Write the arguments of the call to the function."""
        return ", ".join(_passed(formal, formal.value(self.absent)) for formal in self.each)


def make_formals(signature: inspect.Signature, hints: Mapping[str, Hint], code: Code) -> Formals:
    """Decide how each parameter is declared.

    Args:
        signature: of the function.
        hints: what is checked.
        code: where the defaults become constants.
    """
    absent = code.constant("absent", ABSENT, traced=True)
    each = (_formal(each, hints.get(each.name), code) for each in signature.parameters.values())
    return Formals(tuple(each), absent)


def _formal(parameter: Parameter, hint: Hint | None, code: Code) -> Formal:
    default = parameter.default
    if default is Parameter.empty:
        return Formal(parameter)
    name = code.constant(f"default_{parameter.name}", default, traced=True)
    if hint is None or (isinstance(default, _PLAIN_DEFAULTS) and _fits(default, hint)):
        return Formal(parameter, default=name)
    return Formal(parameter, marked=name)


def _fits(default: Any, hint: Hint) -> bool:
    if default is None and isinstance(hint, UnionHint):
        # Which is most of them, and no array is asked about None.
        return any(option == NONE or _fits(default, option) for option in hint.options)
    return hint.mismatch(default) is None


def _with_separators(formals: Iterable[Formal], absent: str) -> Iterator[str]:
    before: Any = None
    for formal in formals:
        kind = formal.parameter.kind
        if before is Parameter.POSITIONAL_ONLY is not kind:
            yield "/"
        if kind is Parameter.KEYWORD_ONLY and before not in (kind, Parameter.VAR_POSITIONAL):
            yield "*"
        yield _declared(formal, absent)
        before = kind
    if before is Parameter.POSITIONAL_ONLY:
        yield "/"


def _declared(formal: Formal, absent: str) -> str:
    if formal.parameter.kind is Parameter.VAR_POSITIONAL:
        return f"*{formal.name}"
    if formal.parameter.kind is Parameter.VAR_KEYWORD:
        return f"**{formal.name}"
    default = absent if formal.marked else formal.default
    return formal.name if default is None else f"{formal.name}={default}"


def _passed(formal: Formal, value: str) -> str:
    kind = formal.parameter.kind
    if kind is Parameter.KEYWORD_ONLY:
        return f"{formal.name}={value}"
    if kind is Parameter.VAR_POSITIONAL:
        return f"*{value}"
    return f"**{value}" if kind is Parameter.VAR_KEYWORD else value
