# SPDX-License-Identifier: Apache-2.0
"""The sizes that stand for names while nothing is known of them but that they differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from typedtensors.dims import Dim
from typedtensors.guard.torch.operands import is_plain, plain
from typedtensors.shapes import SpecError, parse_spec

if TYPE_CHECKING:
    from torch import Tensor

    from typedtensors.shapes.specs.spec import SpecAxis

Read: TypeAlias = Callable[[str], object]
"""Evaluates what a spec has in braces."""

_PRIMES: Final = (17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101)
_SYMBOL: Final = re.compile(r"\bs\d+\b")
_RANK_OF_ANY: Final = 2
"""How many axes `*batch` and `...` stand for."""


class UnreadSizeError(ValueError):
    """A spec of which a size cannot be known."""


class NamedSize(NamedTuple):
    """An axis of an input: what annotations call it, its size, and whether any other would do."""

    name: str
    size: int
    open: bool


@dataclass
class Sizes:
    """The size of each name: one that is `fixed`, or else a prime of its own.

    No product or sum of a few is a size that a program is likely to hold, nor is one of them 1.
    """

    fixed: dict[str, int]
    primes: dict[str, int] = field(default_factory=dict)

    def of(self, name: str) -> int:
        """The size of a name."""
        if name in self.fixed:
            return self.fixed[name]
        if name not in self.primes:
            taken = {*self.fixed.values(), *self.primes.values()}
            free = (prime for prime in _PRIMES if prime not in taken)
            self.primes[name] = next(free, _PRIMES[-1] + 2 * len(self.primes))
        return self.primes[name]

    def shape(self, spec: str, read: Read) -> tuple[NamedSize, ...]:
        """The axes that a spec writes.

        Raises:
            UnreadSizeError: one depends on what `read` does not know.
        """
        try:
            axes = parse_spec(spec).axes
        except SpecError as error:
            raise UnreadSizeError(str(error)) from None
        found: list[NamedSize] = []
        for at, axis in enumerate(axes):
            if axis.variadic:
                # All `...` are the same: no annotation says that they differ.
                names = [f"{axis.text}[{index}]" for index in range(_RANK_OF_ANY)]
                found += [self._named(name) for name in names]
            elif axis.dim is None:
                # Likewise `_`, at the same place.
                found.append(self._named(f"_[{at - len(axes)}]"))
            else:
                found.append(self._written(axis, axis.dim, read))
        return tuple(found)

    def _named(self, name: str) -> NamedSize:
        return NamedSize(name, self.of(name), name not in self.fixed)

    def _written(self, axis: SpecAxis, dim: Dim, read: Read) -> NamedSize:
        known = {
            atom: Dim.of(self.of(atom.name) if atom.declared else _integer(atom.name, read))
            for atom in dim.atoms
        }
        size = dim.substitute(known).value
        if size is None or size < 0:
            msg = f"has an axis `{axis.text}` of no known size"
            raise UnreadSizeError(msg)
        is_open = any(atom.declared and atom.name not in self.fixed for atom in dim.atoms)
        return NamedSize(axis.text.lstrip("#"), size, is_open)


def _integer(text: str, read: Read) -> int:
    value = read(text)
    if isinstance(value, int):
        return value
    msg = f"has an axis `{{{text}}}` that only a call can evaluate"
    raise UnreadSizeError(msg)


@dataclass
class Texts:
    """What to call the sizes of a run: by the names of the symbols that they are made of."""

    _symbols: dict[str, str] = field(default_factory=dict)
    _known: dict[int, str] = field(default_factory=dict)

    def learn(self, tensor: Tensor, names: Sequence[str]) -> None:
        """Learn what the symbols of an input's sizes are called."""
        for size, name in zip(tensor.shape, names, strict=True):
            if type(size) is not int:
                self._symbols[str(size)] = name

    def note(self, tensor: Tensor) -> None:
        """Note what the sizes of a tensor are called, for when they are integers."""
        for size in tensor.shape:
            if type(size) is not int and is_plain(size):
                self._known.setdefault(plain(size), self.written(str(size)))

    def written(self, text: str) -> str:
        """A text of torch's about the run, with names for symbols."""
        return _SYMBOL.sub(partial(_named, self._symbols), text)

    def spec(self, sizes: Sequence[int | None]) -> str:
        """The shape, as an annotation would write it."""
        return " ".join("_" if each is None else self._known.get(each, str(each)) for each in sizes)


def _named(names: dict[str, str], symbol: re.Match[str]) -> str:
    return names.get(symbol[0], symbol[0])
