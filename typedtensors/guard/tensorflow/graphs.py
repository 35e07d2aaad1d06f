# SPDX-License-Identifier: Apache-2.0
"""The operations of a graph that was traced when nobody watched, at their places."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Final

from typedtensors.guard.door import survive
from typedtensors.guard.tensorflow.examiner import Doubt, Operation, examiners
from typedtensors.guard.tensorflow.operands import attributes_in_graph, sizes_in_graph
from typedtensors.guard.tensorflow.places.place import path_recorded

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping
    from types import FrameType

    from typedtensors.guard.report import GuardEvent
    from typedtensors.guard.tensorflow.examiner import Examiner
    from typedtensors.shapes.broadcast import Level

_CALLING: Final = "call_flat"
"""The method that calls a traced function, whose graph its object has."""

# A graph that was traced does not change.
_known: Final[MutableMapping[Any, dict[Level, tuple[GuardEvent, ...]]]] = (
    weakref.WeakKeyDictionary()
)


def graph_called(frame: FrameType | None) -> Any | None:  # noqa: ANN401 - of TensorFlow
    """The graph of the function that is called in a frame around this one; None if it has none."""
    while frame is not None:
        if frame.f_code.co_name == _CALLING:
            return getattr(frame.f_locals.get("self"), "graph", None)
        frame = frame.f_back
    return None


def events_of(graph: Any, level: Level) -> tuple[GuardEvent, ...]:  # noqa: ANN401 - as above
    """What a guard of that level would have said of a graph while it was traced."""
    known = _known.setdefault(graph, {})
    if level not in known:
        known[level] = tuple(_events(graph, level))
    return known[level]


def all_graphs(graph: Any) -> list[Any]:  # noqa: ANN401 - as above
    """The graph and those of all functions that it calls: of branches, loops, other functions."""
    found = [graph]
    for each in found:
        inner = (getattr(called, "graph", None) for called in _called(each))
        found += [one for one in dict.fromkeys(inner) if one is not None and one not in found]
    return found


def _called(graph: Any) -> list[Any]:  # noqa: ANN401 - as above
    return list(getattr(graph, "_functions", {}).values())


def _events(graph: Any, level: Level) -> Iterator[GuardEvent]:  # noqa: ANN401 - as above
    known = examiners(level)
    for operation in graph.get_operations():
        examiner = known.get(operation.type)
        event = None if examiner is None else _examined(operation, examiner)
        if event is not None:
            yield event


def _examined(operation: Any, examiner: Examiner) -> GuardEvent | None:  # noqa: ANN401 - as above
    inputs = tuple(operation.inputs)
    shapes = sizes_in_graph(inputs)
    if shapes is None or examiner.doubt(shapes) is Doubt.NONE:
        return None
    attributes = attributes_in_graph(operation)
    made = Operation(
        inputs, shapes, attributes, operation.outputs[0], lambda: path_recorded(operation)
    )
    try:
        return examiner.examine(made)
    except Exception as error:  # noqa: BLE001 - the one door for our own bugs
        survive(error, f"looking at `{examiner.name}`")
        return None
