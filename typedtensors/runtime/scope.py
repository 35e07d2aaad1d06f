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

from typedtensors.dims import Dim

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from types import TracebackType

    from typedtensors.runtime.calls.plan import Plan
    from typedtensors.shapes.specs.spec import Reader

_storage: Any = _untyped  # it has no annotations

Memo = tuple[
    dict[str, int], dict[str, tuple[bool, tuple[int, ...]]], dict[str, Any], dict[str, Any]
]
"""What jaxtyping keeps of a call: dims, variadic dims, tree structures, arguments."""

UNSETTLED = "~~unsettled"
"""Among the sizes of a scope, what is known of dims that have none (see `symbolic.unsettled`).

Names that begin so are jaxtyping's own notes about PyTrees: no dim is called that.
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is bound at one moment: sizes of dims, shapes of variadic dims, arguments.

    `unsettled` is what lies under `UNSETTLED`.
    """

    sizes: Mapping[str, int]
    variadics: Mapping[str, tuple[int, ...]]
    arguments: Mapping[str, Any]
    unsettled: object = None


class Arguments(dict[str, Any]):
    """The arguments of a call as jaxtyping keeps them, and what the annotations say of them.

    Args:
        values: by name.
        plan: of the function.
        pending: the bindings of which these are a part, if those were not in this form at first.
    """

    __slots__ = ("pending", "plan")

    def __init__(
        self, values: Mapping[str, Any], plan: Plan | None, pending: Pending | None = None
    ) -> None:
        super().__init__(values)
        self.plan = plan
        self.pending = pending

    @property
    def call(self) -> object:
        """What stands for the call, whatever became of its bindings."""
        return self if self.pending is None else self.pending


@dataclass(frozen=True, slots=True)
class Layout:
    """What the items of a `Pending` are, after the layout itself.

    Args:
        dims: names whose sizes come first; None stands for one that is not bound.
        runs: names of variadic dims, which come next.
        arguments: each parameter with its default, last; `absent` stands for the default.
        plan: of the function, for who asks what its annotations say.
    """

    dims: tuple[str, ...]
    runs: tuple[str, ...]
    arguments: tuple[tuple[str, Any], ...]
    absent: object
    plan: Plan | None = None

    def memo(self, pending: Pending) -> Memo:
        """Put the items of a `Pending` into jaxtyping's form."""
        items = tuple(tuple.__iter__(pending))
        sizes, rest = items[1 : 1 + len(self.dims)], items[1 + len(self.dims) :]
        runs, values = rest[: len(self.runs)], rest[len(self.runs) :]
        return (
            {name: size for name, size in zip(self.dims, sizes, strict=True) if size is not None},
            {name: _run(run) for name, run in zip(self.runs, runs, strict=True) if run is not None},
            {},
            Arguments(
                {
                    name: default if value is self.absent else value
                    for (name, default), value in zip(self.arguments, values, strict=True)
                },
                self.plan,
                pending,
            ),
        )


def _run(found: Any) -> tuple[bool, tuple[int, ...]]:
    """Read a run as generated code keeps it: a list where the function never writes `*#`."""
    return (False, tuple(found)) if isinstance(found, list) else found


class Pending(tuple[Any, ...]):
    """The bindings of a call as a generated check leaves them, a `Layout` first.

    It lies on jaxtyping's stack in the place of a memo, and becomes one there when somebody
    asks for the memo: most functions never do, and need not pay for four dicts.
    """

    __slots__ = ()

    def memo(self) -> Memo:
        """Return the bindings in jaxtyping's form."""
        memo: Memo = next(tuple.__iter__(self)).memo(self)
        return memo

    def __iter__(self) -> Iterator[Any]:
        memo = self.memo()
        _storage.set_shape_memo(*memo)
        return iter(memo)


class Deferred(tuple[Any, ...]):
    """The bindings of a call that is not compared: the full check, and what it is given.

    It is asked only where the body of the function looks at the bindings.
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        judge, values = tuple.__iter__(self)
        memo, _ = judge(values)
        memo = new_memo({}) if memo is None else memo
        _storage.set_shape_memo(*memo)
        return iter(memo)


class _Stacks:
    """Where generated code finds the stack of its thread; it pickles as a reference."""

    local: Any = _storage._shape_storage  # noqa: SLF001  see the module docstring

    def __reduce__(self) -> str:
        return "stacks"


stacks = _Stacks()


def current_stack() -> list[Any]:
    """Return the stack of this thread, a new one in a new thread."""
    if not hasattr(stacks.local, "memo_stack"):
        stacks.local.memo_stack = []
    stack: list[Any] = stacks.local.memo_stack
    return stack


class Scope:
    """The bindings of one call, active only while it is entered.

    A scope can be left and entered again, from any thread or task: a coroutine or a
    generator keeps its bindings over a suspension and never sees those of another.
    """

    __slots__ = ("memo",)

    def __init__(self, memo: Memo | Pending | Deferred) -> None:
        """Open a scope with these bindings."""
        self.memo = memo

    def __enter__(self) -> None:
        """Make this scope the current one."""
        current_stack().append(self.memo)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Keep what was bound and make the enclosing scope the current one again."""
        # A failed check replaces the memo on the stack, so it has to be read back.
        self.memo = current_stack().pop()


def new_memo(arguments: Mapping[str, Any]) -> Memo:
    """Return a memo in which no dim is bound and `"{...}"` dims read `arguments`."""
    return {}, {}, {}, arguments if isinstance(arguments, Arguments) else dict(arguments)


def in_scope() -> AbstractContextManager[None]:
    """Return a scope for checks that share names: the current one, else a new one."""
    return nullcontext() if current_stack() else Scope(new_memo({}))


def snapshot() -> Snapshot:
    """Read the current scope; outside any scope nothing is bound."""
    singles, variadics, _, arguments = _storage.get_shape_memo()
    return Snapshot(
        # jaxtyping keeps helper entries of PyTrees under names that start with this.
        {name: size for name, size in singles.items() if not name.startswith("~~")},
        {name: tuple(shape) for name, (_, shape) in variadics.items() if not name.startswith("~~")},
        dict(arguments),
        singles.get(UNSETTLED),
    )


def current_sizes() -> dict[str, int]:
    """Return the sizes of dims in the current scope: what is added to them is bound."""
    sizes: dict[str, int] = _storage.get_shape_memo()[0]
    return sizes


def current_runs() -> dict[str, tuple[bool, tuple[int, ...]]]:
    """Return the shapes of variadic dims in the current scope, and whether each was `*#name`."""
    runs: dict[str, tuple[bool, tuple[int, ...]]] = _storage.get_shape_memo()[1]
    return runs


def reader_of(arguments: Mapping[str, Any]) -> Reader:
    """Read `{self.d}`: a dotted path from an argument to an int; nothing is evaluated."""

    def read(text: str) -> Dim | None:
        root, *path = text.split(".")
        value = arguments.get(root)
        for name in path:
            value = getattr(value, name, None)
        return Dim.of(value) if isinstance(value, int) else None

    return read


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
        *bound, arguments = _storage.get_shape_memo()
        # Checks bind, and leave the arguments as they are.
        self._saved = (*map(dict, bound), arguments)
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
