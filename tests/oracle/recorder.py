# SPDX-License-Identifier: Apache-2.0
"""What the run of an instrumented program tells: values, rounds of loops, failures."""

from __future__ import annotations

import ast
import functools
import itertools
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import torch

from tests.oracle.instrument import Key
from tests.tensorflow_arrays import described
from typedtensors import typechecked
from typedtensors.guard.torch.operands import plain, sizes_of
from typedtensors.runtime.errors import TensorCheckError

_MOST_ROUNDS = 40
_LONGEST = 64
# An object is looked into so that the sizes it was made with are known.
_DEPTH = 3


@dataclass(frozen=True)
class Array:
    """An array of the run."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Thing:
    """Any other object of the run, and its attributes as far as they were looked at."""

    type: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


Real: TypeAlias = Any


def real(value: object, depth: int = 0) -> Real:
    """A value of the run as it is now, without keeping it alive."""
    if isinstance(value, torch.Tensor):
        return Array(sizes_of(value), str(value.dtype).removeprefix("torch."))
    if isinstance(value, torch.SymInt):
        return plain(value)
    if isinstance(value, np.ndarray):
        return Array(tuple(value.shape), str(value.dtype))
    known = described(value)
    if known is not None:
        return Array(*known)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)) and len(value) <= _LONGEST:
        return tuple(real(item, depth) for item in value)
    if not depth:
        return Thing(type(value).__name__)
    parts = dict(vars(value)) if hasattr(value, "__dict__") else {}
    for kind in ("_parameters", "_buffers", "_modules"):
        parts.update(parts.pop(kind, None) or {})
    return Thing(type(value).__name__, {name: real(v, depth - 1) for name, v in parts.items()})


@dataclass(frozen=True)
class Seen:
    """The value of an expression."""

    key: Key
    value: Real


@dataclass(frozen=True)
class Round:
    """A loop begins (`first`), or begins its next round."""

    loop: tuple[int, int]
    first: bool


@dataclass(frozen=True)
class Broken:
    """A statement failed: what follows would not have happened."""


@dataclass(frozen=True)
class Failure:
    """Statements or a function, by their first and last line, that the run cannot get through."""

    lines: tuple[int, int]
    error: Exception

    @property
    def is_result(self) -> bool:
        """Whether what a function returned does not fit its annotation."""
        return isinstance(self.error, TensorCheckError) and self.error.argument == "return"


class Poisoned(Exception):  # noqa: N818 - raised where an earlier failure shows, and is no other
    """A value is used that an earlier failure left without one."""


class Poison:
    """Stands for the value that a statement would have had, had it not failed."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise Poisoned

    def __getattr__(self, name: str) -> Any:
        raise AttributeError if name.startswith("__") else Poisoned

    __getitem__ = __call__ = __bool__ = __iter__ = __len__ = __torch_function__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse
    __matmul__ = __rmatmul__ = __pow__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse


POISON = Poison()


class TooLong(BaseException):
    """A loop of the program has gone on for long enough."""


class Activation:
    """One call of a function, or the run of a module's top level: what happened, in order."""

    def __init__(self, recorder: Recorder, function: tuple[str, int] | None) -> None:
        self.function = function
        self.arguments: list[Seen] = []
        self.events: list[Seen | Round | Broken] = []
        self._recorder = recorder
        self._rounds: dict[tuple[int, int], int] = {}

    def see(self, key: Key, value: object) -> Any:
        """Keep the value of an expression, and give it back."""
        if value is POISON:
            raise Poisoned
        self.events.append(Seen(key, real(value)))
        return value

    def rounds(self, loop: tuple[int, int], values: Iterable[Any]) -> Iterator[Any]:
        """The values, each of which begins a round; not without end."""
        endless = not hasattr(values, "__len__")
        for number, value in enumerate(itertools.islice(values, _MOST_ROUNDS if endless else None)):
            self.events.append(Round(loop, number == 0))
            yield value

    def round(self, loop: tuple[int, int]) -> bool:
        """Begin a round of a `while`."""
        self._rounds[loop] = self._rounds.get(loop, 0) + 1
        if self._rounds[loop] > _MOST_ROUNDS:
            raise TooLong
        self.events.append(Round(loop, self._rounds[loop] == 1))
        return True

    def fail(self, lines: tuple[int, int], error: Exception) -> None:
        """Keep what went wrong, unless it only follows from what went wrong before."""
        self.events.append(Broken())
        self._recorder.fail(lines, error)


class Recorder:
    """What happened in one module."""

    Poisoned = Poisoned
    poison = POISON

    def __init__(self, file: str, source: str) -> None:
        self.activations: list[Activation] = []
        self.failures: list[Failure] = []
        refusals = (
            n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.Raise, ast.Assert))
        )
        self._refusals = {
            (file, line) for n in refusals for line in range(n.lineno, (n.end_lineno or 0) + 1)
        }

    def enter(
        self, function: tuple[str, int] | None, arguments: Iterable[tuple[Key, Any]]
    ) -> Activation:
        """Begin an activation."""
        activation = Activation(self, function)
        activation.arguments = [Seen(key, real(value, _DEPTH)) for key, value in arguments]
        self.activations.append(activation)
        return activation

    def fail(self, lines: tuple[int, int], error: Exception) -> None:
        """Keep what went wrong, unless the program itself refuses to go on."""
        if not isinstance(error, Poisoned) and not self._raised_by_program(error):
            self.failures.append(Failure(lines, error))

    def _raised_by_program(self, error: Exception) -> bool:
        *_, (frame, line) = traceback.walk_tb(error.__traceback__)
        return (frame.f_code.co_filename, line) in self._refusals

    def checked(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its annotations checked when it is called."""
        try:
            typed = typechecked(function)
        except Exception:  # noqa: BLE001 - an annotation that the run cannot make sense of
            return function
        lines = function.__code__.co_firstlineno, _last_line(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if any(value is POISON for value in (*args, *kwargs.values())):
                raise Poisoned
            try:
                return typed(*args, **kwargs)
            except TensorCheckError as error:
                if error.argument != "return" or error.function != function.__qualname__:
                    raise
                self.failures.append(Failure(lines, error))
                raise Poisoned from error

        return call


def _last_line(function: Callable[..., Any]) -> int:
    lines = [line for _, _, line in function.__code__.co_lines() if line is not None]
    return max(lines)
