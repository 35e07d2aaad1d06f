# SPDX-License-Identifier: Apache-2.0
"""What a guard does when TensorFlow tells it of one operation."""

from __future__ import annotations

import sys
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import tensorflow as tf

from typedtensors.guard.allow import is_allowed
from typedtensors.guard.door import survive
from typedtensors.guard.names.naming import Naming
from typedtensors.guard.report import BroadcastError
from typedtensors.guard.tensorflow.examiner import Doubt, Operation, examiners
from typedtensors.guard.tensorflow.graphs import all_graphs, events_of, graph_called
from typedtensors.guard.tensorflow.marks import ELEMENTWISE, MAKERS, is_made, note, note_kept
from typedtensors.guard.tensorflow.names.following import FOLLOWED, TENSORS, follow
from typedtensors.guard.tensorflow.names.made import Made
from typedtensors.guard.tensorflow.operands import attributes_in_graph, sizes_in_graph
from typedtensors.guard.tensorflow.places.owners import is_in_a_loss
from typedtensors.guard.tensorflow.places.place import path_from
from typedtensors.shapes.arrays.named import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FrameType

    from typedtensors.guard.names.naming import OpenCall
    from typedtensors.guard.report import GuardEvent, Sizes
    from typedtensors.guard.tensorflow.examiner import Examiner
    from typedtensors.shapes.broadcast import Level

_FUNCTION: Final = "__"
"""How the types begin that calls of traced functions have: `__inference_`, `__forward_`."""
_PREFIX: Final = len(_FUNCTION)


class _Told(NamedTuple):
    """What TensorFlow tells of an operation; `graph` is None for an eager one."""

    kind: str | bytes
    inputs: tuple[Any, ...]
    attributes: Sequence[Any]
    outputs: Any
    graph: Any

    @property
    def read_attributes(self) -> Sequence[Any]:
        """The attributes as values: of an operation in a graph TensorFlow tells messages."""
        return self.attributes if self.graph is None else attributes_in_graph(self.outputs[0].op)


class Watcher:
    """Examines each operation that can broadcast, once it is made.

    `note` is told of each call of a checked function: its name, and the sizes of its dims.
    """

    def __init__(
        self,
        level: Level,
        deliver: Callable[[GuardEvent], None],
        note_sizes: Callable[[str, Mapping[str, int]], None],
    ) -> None:
        self._level = level
        self._examiners = examiners(level)
        self._deliver = deliver
        self._naming = Naming(TENSORS, note_sizes)
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
        call = None if CALLS.innermost is None else self._call_that_names(inputs)
        if examiner is None:
            if graph is None:
                self._look_aside(kind, inputs, attributes, outputs)
        else:
            if graph is None:
                # Most operations end here, or below.
                shapes: Any = tuple([each._shape_tuple() for each in inputs])  # noqa: SLF001 - `shape` costs much more
            else:
                self._traced.add(graph)
                shapes = sizes_in_graph(inputs)
            doubt = Doubt.NONE if shapes is None else examiner.doubt(shapes)
            if doubt is not Doubt.NONE or (call is not None and shapes is not None):
                told = _Told(kind, inputs, attributes, outputs, graph)
                event = _examined(examiner, told, shapes, call)
                if event is not None:
                    _raise_again(event)
                    self._deliver(event)
        if call is not None and kind in FOLLOWED:
            _name_results(call, _Told(kind, inputs, attributes, outputs, graph))

    def _call_that_names(self, inputs: tuple[Any, ...]) -> OpenCall | None:
        """The checked call that this thread is in, if its annotations name axes of an input."""
        try:
            call = self._naming.current()
            return call if call is not None and call.knows_any(inputs) else None
        except Exception as error:  # noqa: BLE001 - the one door for our own bugs
            survive(error, "reading annotations")
            return None

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


def _examined(
    examiner: Examiner, told: _Told, shapes: tuple[Sizes, ...], call: OpenCall | None
) -> GuardEvent | None:
    """The event that an operation is, if it is one to report."""
    frame, doubt = sys._getframe(2), examiner.doubt(shapes)  # noqa: SLF001 - the only way to a frame without a traceback
    if doubt is Doubt.IN_A_LOSS and call is None and not is_in_a_loss(frame):
        return None
    try:
        if is_allowed():
            return None
        meeting = None if call is None else examiner.meeting(told.inputs, shapes, call)
        if doubt is Doubt.NONE and (meeting is None or not meeting.clash):
            return None
        inputs = told.inputs if told.graph is not None else _as_passed(told.inputs, frame)
        path, output = (lambda: path_from(frame)), told.outputs[0]
        made = Operation(inputs, shapes, told.read_attributes, output, path, meeting)
        return examiner.examine(made)
    except Exception as error:  # noqa: BLE001 - the one door for our own bugs
        survive(error, f"looking at `{examiner.name}`")
        return None


def _name_results(call: OpenCall, told: _Told) -> None:
    """Name the axes of what an operation made of tensors of a checked call."""
    try:
        kind = told.kind.decode() if isinstance(told.kind, bytes) else told.kind
        read = told.read_attributes
        attributes = dict(zip(read[::2], read[1::2], strict=False))
        follow(call, Made(kind, told.inputs, attributes), told.outputs)
    except Exception as error:  # noqa: BLE001 - the one door for our own bugs
        survive(error, f"following `{told.kind!s}`")


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
