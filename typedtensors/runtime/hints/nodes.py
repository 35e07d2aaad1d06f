# SPDX-License-Identifier: Apache-2.0
"""A parameter's type hint as a tree: array annotations, `containers` of them, the rest.

Made once per annotation by `parse_hint`; `Hint.mismatch` runs at each call. Arrays are judged
by jaxtyping, every element of every container counts, and all of them share the bindings of
the current scope. What holds no array is judged by beartype.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beartype import BeartypeConf
from beartype.door import is_bearable

from typedtensors.runtime.symbolic.judge import judge
from typedtensors.runtime.symbolic.values import is_array_of, is_size
from typedtensors.shapes.arrays.tracing import unconverted

if TYPE_CHECKING:
    from collections.abc import Iterator


BEARTYPE = BeartypeConf(is_pep484_tower=True)
_DRAWN_FROM = (Sequence, Mapping)  # of a mapping, in its values


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value that meets one annotation; `path` is `""`, `"[2]"`, `".mean"`, ..."""

    path: str
    value: Any
    annotation: Any


def has_shape(value: Any) -> bool:
    """Say whether a value has a shape; some nested tensors raise an error when they are asked."""
    try:
        return hasattr(value, "shape")
    except RuntimeError:
        return False


class Hint:
    """A node of the tree. Checks bind dims in the current scope."""

    __slots__ = ()

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Return the first part of `value` that does not fit, or None."""
        raise NotImplementedError

    def arrays(self, value: Any, path: str = "") -> Iterator[Leaf]:
        """Yield each part of `value` that an array annotation describes."""
        del value, path
        return iter(())

    def annotations(self) -> Iterator[Any]:
        """Yield each array annotation."""
        return iter(())


@dataclass(frozen=True, slots=True)
class ArrayHint(Hint):
    """`Float[Tensor, "b d"]`."""

    annotation: Any

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask jaxtyping; a value that will not tell its shape is not to blame for it."""
        try:
            known = judge(value, self.annotation)
            fits = isinstance(value, self.annotation) if known is None else known
        except (RuntimeError, AttributeError) as error:
            if has_shape(value) and hasattr(value, "dtype"):
                raise
            # Else it is of the class, as a list is array-like, and no array.
            fits = isinstance(error, RuntimeError)
        return None if fits else Leaf(path, value, self.annotation)

    def arrays(self, value: Any, path: str = "") -> Iterator[Leaf]:
        """Yield the value itself."""
        yield Leaf(path, value, self.annotation)

    def annotations(self) -> Iterator[Any]:
        """Yield the only one."""
        yield self.annotation


@dataclass(frozen=True, slots=True)
class ClassHint(Hint):
    """An ordinary class, and the classes accepted in its place."""

    annotation: type
    accepted: tuple[type, ...]

    @unconverted
    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask `isinstance`; in a graph of TensorFlow's, an int may be computed there."""
        fits = isinstance(value, self.accepted) or (self.annotation is int and is_size(value))
        return None if fits else Leaf(path, value, self.annotation)


@dataclass(frozen=True, slots=True)
class TensorHint(ClassHint):
    """`tf.Tensor` without a shape: variables are taken in its place."""

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask what TensorFlow takes for a tensor."""
        return None if is_array_of(value, self.annotation) else Leaf(path, value, self.annotation)


NONE = ClassHint(type(None), (type(None),))


@dataclass(frozen=True, slots=True)
class PlainHint(Hint):
    """Any other hint without a shape of its own: beartype's."""

    annotation: Any

    @unconverted
    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Ask beartype, which looks at an item of a list that it draws.

        What the program draws itself has to be what it would be without.
        """
        drawn = random.getstate() if isinstance(value, _DRAWN_FROM) else None
        fits = is_bearable(value, self.annotation, conf=BEARTYPE)
        if drawn is not None:
            random.setstate(drawn)
        return None if fits else Leaf(path, value, self.annotation)


@dataclass(frozen=True, slots=True)
class AnyHint(Hint):
    """A hint that accepts everything, or that nobody can check."""

    def mismatch(self, value: Any, path: str = "") -> Leaf | None:
        """Accept."""
        del value, path
        return None
