# SPDX-License-Identifier: Apache-2.0
"""`guard`: the public face, as a context manager and as a decorator."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import warnings
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from typedtensors.diagnostics.suggestion import did_you_mean
from typedtensors.guard.reach.frameworks import guarding
from typedtensors.guard.reach.threads import passing_on
from typedtensors.guard.report import BroadcastError, BroadcastWarning, GuardEvent, Report
from typedtensors.shapes.broadcast import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    F = TypeVar("F", bound=Callable[..., object])
    Allows = Callable[[GuardEvent], bool]

Action = Literal["raise", "warn", "record"]
_LEVELS = tuple(each.value for each in Level)
_SWITCH, _OFF = "TYPEDTENSORS_GUARD", "off"

# Shared by all guards: their threads deliver, and one that is entered at each step warns once too.
_delivering = threading.Lock()
_warned: dict[str | tuple[str, type[Warning], int], int] = {}


class Guard(AbstractContextManager[Report]):
    """What `guard` returns: enter it, or decorate a function with it.

    `report` collects the events of every entry, which are those of the `level`.
    """

    def __init__(
        self,
        level: str | None,
        action: str,
        allows: Allows | None = None,
        report: Report | None = None,
        *,
        threads: bool = False,
    ) -> None:
        self._is_off, default = _chosen_outside()
        self.level = Level(_one_of(default if level is None else level, _LEVELS, "level"))
        self._action = _one_of(action, get_args(Action), "action")
        self._allows = allows
        self._threads = threads
        self.report = Report() if report is None else report
        self._entered: list[AbstractContextManager[None] | None] = []

    @property
    def is_on(self) -> bool:
        """Whether the environment lets guards be, and the level reports anything."""
        return not self._is_off and self.level is not Level.ALLOW

    def __enter__(self) -> Report:
        """Guard this thread; returns the report."""
        skipped = self._is_off or _is_compiling()
        session = None if skipped else self._session()
        if session is not None:
            session.__enter__()
        self._entered.append(session)
        return self.report

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the innermost entry; exceptions go on."""
        session = self._entered.pop()
        if session is not None:
            session.__exit__(kind, error, traceback)

    def __call__(self, function: F) -> F:
        """Guard every call of the function; its attribute `report` holds the events."""
        if inspect.isclass(function):
            msg = f"guard decorates functions: decorate a method of `{function.__qualname__}`"
            raise TypeError(msg)
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            msg = (
                f"`{function.__qualname__}` can be suspended, and a guard belongs to a thread: "
                "use `with guard():` around the part that does not await or yield"
            )
            raise TypeError(msg)
        if self._is_off:
            function.report = self.report  # type: ignore[attr-defined]
            return function

        @wraps(function)
        def guarded(*args: object, **kwargs: object) -> object:
            # An entry of its own: the function may be called from several threads.
            with Guard(
                self.level.value, self._action, self._allows, self.report, threads=self._threads
            ):
                return function(*args, **kwargs)

        guarded.report = self.report  # type: ignore[attr-defined]
        return guarded  # type: ignore[return-value]

    @contextmanager
    def _session(self) -> Iterator[None]:
        ended = False

        def deliver(event: GuardEvent) -> None:
            # A thread may go on when the guard under which it was started has ended.
            if not ended:
                self.deliver(event)

        def watch() -> AbstractContextManager[None]:
            return guarding(self.level, deliver, self.report.note_sizes)

        try:
            with watch(), passing_on(watch) if self._threads else nullcontext():
                yield
        finally:
            ended = True

    def deliver(self, event: GuardEvent) -> None:
        """Do with an event what the guard is for."""
        if self._allows is not None and self._allows(event):
            return
        with _delivering:
            first = self.report.add(event)
        if self._action == "raise" and not event.library:
            raise BroadcastError(event)
        if self._action != "record" and first:
            found = event.diagnostic
            text = f"{found.text}  [{found.code}]"
            warnings.warn_explicit(text, BroadcastWarning, event.file, event.line, registry=_warned)


def guard(
    level: str | None = None,
    action: Action = "raise",
    *,
    threads: bool = False,
    allows: Allows | None = None,
) -> Guard:
    """Stop at the first broadcast that nobody asked for.

    Use it around a training step, or as a decorator of one:

    >>> import torch
    >>> with guard("suspicious", action="record") as report:
    ...     table = torch.zeros(32, 1) - torch.zeros(32)
    >>> [(event.reason, event.result) for event in report.events]
    [('rank', (32, 32))]

    Arguments:
        level: `"suspicious"` reports what working programs hardly ever do, `"explicit"` every
            broadcast that no helper asked for except of rank 0, `"allow"` none. By default the
            one that the environment variable `TYPEDTENSORS_GUARD` names, else `"suspicious"`;
            `TYPEDTENSORS_GUARD=off` turns all guards off, whatever their level.
        action: `"raise"` a `BroadcastError` before the operation runs (in TensorFlow, when it has
            run or was traced), `"warn"` once per place, or `"record"` into the report only. Code in
            installed packages never raises: for the reasons `loss` and `rank` it warns.
        threads: whether threads that are started inside are guarded too, until this guard ends.
        allows: is asked of each event whether it is deliberate; `typedtensors run` asks
            `[tool.typedtensors]`.

    Returns: a context manager that yields the `Report`. Guards nest: the innermost decides.
    Raises: ImportError on entry if no framework is installed, ValueError for an unknown level.

    A broadcast that is meant is written with `align`, inside `with allow_broadcast():`, or on a
    line that ends in `# broadcast: ok`.

    The guard sees the torch calls of its own thread, in eager mode: not those of other threads
    (unless `threads` asks for it) or worker processes (start a guard there), of TorchScript, of C++
    extensions, of the backward pass, or of code that `torch.compile` has compiled, which runs at
    full speed. Of TensorFlow it sees eager operations and those of functions that are traced or
    called meanwhile, without a cost at the steps of a traced one.
    """
    return Guard(level, action, allows, threads=threads)


def _chosen_outside() -> tuple[bool, str]:
    """Whether the environment turns guards off, and the level of those that name none."""
    if _is_compiling():
        return True, Level.ALLOW.value
    chosen = os.environ.get(_SWITCH) or Level.SUSPICIOUS.value
    if chosen == _OFF:
        return True, Level.ALLOW.value
    return False, _one_of(chosen, (*_LEVELS, _OFF), f"{_SWITCH} in the environment:")


def _is_compiling() -> bool:
    """Whether torch.compile traces this very call: what it compiles is not guarded."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def _one_of(value: object, known: tuple[str, ...], what: str) -> str:
    if callable(value):
        msg = f"guard takes a {what}, not a function: decorate with `@guard()`"
        raise TypeError(msg)
    if not isinstance(value, str) or value not in known:
        slip = did_you_mean(str(value), known)
        msg = f"unknown {what} {value!r}: use one of {', '.join(known)}{slip}"
        raise ValueError(msg)
    return value
