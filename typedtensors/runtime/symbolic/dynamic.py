# SPDX-License-Identifier: Apache-2.0
"""The sizes of arrays in a graph: numbers where they are known, else tensors of the graph's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from typedtensors.shapes import Spec, SpecAxis
from typedtensors.shapes.arrays.sizes import Sizes, is_complete, sizes_of


@dataclass(frozen=True, slots=True)
class Size:
    """The size of an axis or, as a tuple or a vector, the sizes of a run; and where it is."""

    value: Any
    where: str

    @property
    def is_known(self) -> bool:
        """Whether it is a number, or are numbers."""
        return isinstance(self.value, int | tuple)


@dataclass(frozen=True, slots=True)
class Pair:
    """A word of a spec, and what an array has there."""

    wanted: SpecAxis
    found: Size


@dataclass(frozen=True, slots=True)
class Dynamic:
    """An array of a graph, what it is called, and its spec."""

    name: str
    value: Any
    spec: Spec

    @property
    def sizes(self) -> Sizes | None:
        """What is known of its sizes."""
        return sizes_of(self.value)

    @property
    def is_complete(self) -> bool:
        """Whether all of them are known."""
        return is_complete(self.sizes)

    def pairs(self) -> Iterator[Pair]:
        """Pair each word of the spec with what the array has there, if its rank fits."""
        sizes, spec = self.sizes, self.spec
        shape: Any = None if self.is_complete else tensorflow().shape(self.value)
        for index, axis in enumerate(spec.prefix):
            yield Pair(axis, self._size(shape, sizes, index))
        if spec.variadic is None:
            return
        after = len(spec.suffix)
        cut = slice(len(spec.prefix), -after or None)
        run = None if sizes is None else sizes[cut]
        axes = f"axes of `{self.name}`"
        value = run if run is not None and is_complete(run) else shape[cut]
        yield Pair(spec.axes[spec.variadic], Size(value, axes))
        for index, axis in enumerate(spec.suffix, start=-after):
            yield Pair(axis, self._size(shape, sizes, index))

    def _size(self, shape: Any, sizes: Sizes | None, index: int) -> Size:
        known = None if sizes is None else sizes[index]
        return Size(shape[index] if known is None else known, f"axis {index} of `{self.name}`")


def tensorflow() -> Any:
    """Return the module, of which there are arrays."""
    return sys.modules["tensorflow"]
