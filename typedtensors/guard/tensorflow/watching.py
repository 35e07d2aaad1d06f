# SPDX-License-Identifier: Apache-2.0
"""The callback through which TensorFlow tells of each operation of a guarded thread.

`tf.debugging.enable_check_numerics` is built on the same callbacks.
"""

from __future__ import annotations

import sys
import threading
import weakref
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import tensorflow as tf

from typedtensors.guard.allow import is_allowed
from typedtensors.guard.door import survive
from typedtensors.guard.report import BroadcastError
from typedtensors.guard.tensorflow.examiner import Doubt, Operation, examiners
from typedtensors.guard.tensorflow.graphs import all_graphs, events_of, graph_called
from typedtensors.guard.tensorflow.marks import ELEMENTWISE, MAKERS, is_made, note, note_kept
from typedtensors.guard.tensorflow.operands import sizes_in_graph
from typedtensors.guard.tensorflow.places.owners import is_in_a_loss
from typedtensors.guard.tensorflow.places.place import path_from
from typedtensors.shapes.arrays.intended import watching
from typedtensors.shapes.broadcast import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from typedtensors.guard.report import GuardEvent

# Neither has a public name, and the stubs do not know them.
context: Any = import_module("tensorflow.python.eager.context")
execute: Any = import_module("tensorflow.python.eager.execute")

_FUNCTION: Final = "__"
"""How the types begin that calls of traced functions have: `__inference_`, `__forward_`."""
_PREFIX: Final = len(_FUNCTION)


class Watcher:
    """Examines each operation that can broadcast, once it is made."""

    def __init__(self, level: Level, deliver: Callable[[GuardEvent], None]) -> None:
        self._level = level
        self._examiners = examiners(level)
        self._deliver = deliver
        self._traced: weakref.WeakSet[Any] = weakref.WeakSet()
        self._called: set[str | bytes] = set()

    def __call__(  # noqa: PLR0917 - as TensorFlow calls it
        self,
        kind: str | bytes,
        inputs: tuple[Any, ...],
        attributes: tuple[Any, ...],
        outputs: Any,  # noqa: ANN401 - TensorFlow's own signature
        op_name: str | None = None,  # noqa: ARG002
        graph: Any = None,  # noqa: ANN401
    ) -> None:
        """Look at the shapes of an operation that was made."""
        examiner = self._examiners.get(kind)
        if examiner is None:
            if graph is None:
                self._look_aside(kind, inputs, attributes, outputs)
            return
        if graph is None:
            # Most operations end here, or below.
            shapes = tuple([each._shape_tuple() for each in inputs])  # noqa: SLF001 - `shape` costs much more
        else:
            self._traced.add(graph)
            found = sizes_in_graph(inputs)
            if found is None:
                return
            shapes = found
        doubt = examiner.doubt(shapes)
        if doubt is Doubt.NONE:
            return
        event, frame = None, sys._getframe(1)  # noqa: SLF001 - the only way to a frame without a traceback
        if doubt is Doubt.IN_A_LOSS and not is_in_a_loss(frame):
            return
        try:
            if not is_allowed():
                given = inputs if graph is not None else _as_passed(inputs, frame)
                made = Operation(given, shapes, attributes, outputs[0], lambda: path_from(frame))
                event = examiner.examine(made)
        except Exception as error:  # noqa: BLE001 - the one door for our own bugs
            survive(error, f"looking at `{examiner.name}`")
        if event is not None:
            _raise_again(event)
            self._deliver(event)

    def _look_aside(
        self,
        kind: str | bytes,
        inputs: tuple[Any, ...],
        attributes: tuple[Any, ...],
        outputs: Any,  # noqa: ANN401
    ) -> None:
        """Remember what an operation shows of its result, and look at functions that are called."""
        if kind in MAKERS:
            if is_made(kind, attributes):
                note(outputs[0], MAKERS[kind])
        elif kind in ELEMENTWISE:
            # Its frame is two above, beyond the callback.
            note_kept(outputs[0], _as_passed(inputs, sys._getframe(2))[0])  # noqa: SLF001
        elif kind[:_PREFIX] == _FUNCTION and kind not in self._called:
            self._called.add(kind)
            graph = graph_called(sys._getframe(2))  # noqa: SLF001 - as below
            if graph is not None and not is_allowed():
                self.look_at(graph)

    def look_at(self, graph: Any) -> None:  # noqa: ANN401
        """Look at what was traced of a graph before this guard was there."""
        for each in all_graphs(graph):
            for event in () if each in self._traced else events_of(each, self._level):
                self._deliver(event)


def _as_passed(inputs: tuple[Any, ...], frame: FrameType) -> tuple[Any, ...]:
    """The inputs of an eager operation, with variables where their values were passed.

    The frame is that of TensorFlow's function for the operation, whose first arguments they are.
    """
    names = frame.f_code.co_varnames[: len(inputs)]
    passed = [frame.f_locals.get(name) for name in names]
    if len(passed) != len(inputs):
        return inputs
    return tuple(
        own if isinstance(own, tf.Variable) else each
        for own, each in zip(passed, inputs, strict=True)
    )


def _raise_again(event: GuardEvent) -> None:
    """Where an operator raised a ValueError, TensorFlow tries `y - x` for `x - y`."""
    error = sys.exc_info()[1]
    if isinstance(error, BroadcastError):
        before = error.event
        mirrored = replace(event, shapes=event.shapes[::-1], fix=before.fix)
        if mirrored == before:
            raise error


class _Callbacks:
    """TensorFlow's list of callbacks, which each thread has for itself.

    Invariant: while some thread has one of ours, TensorFlow runs all operations where it looks at
    its callbacks. The function that does is one for all threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def add(self, watcher: Watcher) -> None:
        context.context().add_op_callback(watcher)
        with self._lock:
            self._users += 1
            execute.execute = execute.execute_with_callbacks

    def remove(self, watcher: Watcher) -> None:
        context.context().remove_op_callback(watcher)
        with self._lock:
            self._users -= 1
            if not self._users and not context.context().op_callbacks:
                execute.execute = execute.quick_execute


_CALLBACKS: Final = _Callbacks()


class _Active(threading.local):
    """The guards that the thread is in, innermost last, and the one that TensorFlow calls."""

    def __init__(self) -> None:
        self.watchers: list[Watcher | None] = []
        self.called: Watcher | None = None

    def call_innermost(self) -> None:
        """Have TensorFlow call the innermost guard: tasks leave theirs in any order."""
        innermost = self.watchers[-1] if self.watchers else None
        if innermost is self.called:
            return
        if innermost is not None:
            _CALLBACKS.add(innermost)
        if self.called is not None:
            _CALLBACKS.remove(self.called)
        self.called = innermost


_active = _Active()


@contextmanager
def guarding(
    level: Level,
    deliver: Callable[[GuardEvent], None],
    note: Callable[[str, Mapping[str, int]], None],  # noqa: ARG001 - the sizes of checked calls
) -> Iterator[None]:
    """Guard this thread. The innermost guard decides alone: outer ones are taken off meanwhile.

    A guard that allows everything costs nothing: TensorFlow gets no callback.
    """
    inner = None if level is Level.ALLOW else Watcher(level, deliver)
    _active.watchers.append(inner)
    _active.call_innermost()
    try:
        with watching():
            yield
    finally:
        _active.watchers.remove(inner)
        _active.call_innermost()


def look_at(graph: Any) -> None:  # noqa: ANN401 - of TensorFlow
    """Have the innermost guard of this thread look at a graph."""
    watcher = _active.watchers[-1]
    if watcher is not None:
        watcher.look_at(graph)
