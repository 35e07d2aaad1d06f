# SPDX-License-Identifier: Apache-2.0
"""The sizes that dims have within one call: a door to jaxtyping's own bindings.

This is the only module that touches a private name of jaxtyping. Its bindings live in a
thread-local stack, and there is no public way to open a scope with arguments (which
`"{n}"` dims need), to leave it at an `await` or `yield` and come back, or to read it.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jaxtyping import _storage as _untyped

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from types import TracebackType

_storage: Any = _untyped  # it has no annotations

_Memo = tuple[
    dict[str, int], dict[str, tuple[bool, tuple[int, ...]]], dict[str, Any], dict[str, Any]
]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is bound at one moment: sizes of dims, shapes of variadic dims, arguments."""

    sizes: Mapping[str, int]
    variadics: Mapping[str, tuple[int, ...]]
    arguments: Mapping[str, Any]


class Scope:
    """The bindings of one call, active only while it is entered.

    A scope can be left and entered again, from any thread or task: a coroutine or a
    generator keeps its bindings over a suspension and never sees those of another.
    """

    __slots__ = ("_memo",)

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        """Open a scope in which no dim is bound and `"{...}"` dims read `arguments`."""
        self._memo: _Memo = ({}, {}, {}, dict(arguments))

    def __enter__(self) -> None:
        """Make this scope the current one."""
        _storage.push_shape_memo({})
        _storage.set_shape_memo(*self._memo)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Keep what was bound and make the enclosing scope the current one again."""
        # A failed check replaces the memo on the stack, so it has to be read back.
        self._memo = _storage.get_shape_memo()
        _storage.pop_shape_memo()


def in_scope() -> AbstractContextManager[None]:
    """Return a scope for checks that share names: the current one, else a new one."""
    active = _storage._has_shape_memo()  # noqa: SLF001  see the module docstring
    return nullcontext() if active else Scope({})


def snapshot() -> Snapshot:
    """Read the current scope; outside any scope nothing is bound."""
    singles, variadics, _, arguments = _storage.get_shape_memo()
    return Snapshot(
        # jaxtyping keeps helper entries of PyTrees under names that start with this.
        {name: size for name, size in singles.items() if not name.startswith("~~")},
        {name: tuple(shape) for name, (_, shape) in variadics.items() if not name.startswith("~~")},
        dict(arguments),
    )


def bind(sizes: Mapping[str, int]) -> None:
    """Bind dims in the current scope that nothing has bound yet."""
    singles = _storage.get_shape_memo()[0]
    for name, size in sizes.items():
        singles.setdefault(name, size)


class Trial:
    """A `with` block whose bindings are forgotten unless `keep()` is called in it."""

    __slots__ = ("_kept", "_saved")

    def __enter__(self) -> Trial:  # noqa: PYI034  `Self` is not in Python 3.10
        """Remember what is bound now."""
        self._kept = False
        self._saved = tuple(dict(memo) for memo in _storage.get_shape_memo())
        return self

    def keep(self) -> None:
        """Keep what was bound within the block."""
        self._kept = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the bindings from before the block, unless they are kept."""
        if not self._kept:
            _storage.set_shape_memo(*self._saved)
