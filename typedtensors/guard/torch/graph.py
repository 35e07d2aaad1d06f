# SPDX-License-Identifier: Apache-2.0
"""The operations of a graph that torch.compile has made of a program, each at its place there."""

from __future__ import annotations

import linecache
import operator
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from torch import Tensor
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from typedtensors.guard.door import survive
from typedtensors.guard.reading import syntax
from typedtensors.guard.reading.frames import Scope
from typedtensors.guard.reading.source import read_site
from typedtensors.guard.torch.examiner import examiners
from typedtensors.guard.torch.operands import has_plain_sizes
from typedtensors.guard.torch.place import FRAMES, Place
from typedtensors.shapes.arrays.intended import mark, watching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typedtensors.guard.report import GuardEvent
    from typedtensors.guard.torch.examiner import Examiner
    from typedtensors.shapes.broadcast import Level

_FRAME: Final = re.compile(
    r'^ *File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>\S+)\n'
    r"(?: {4}(?P<code>.*)\n)?(?: {4}(?P<left> *)(?P<marks>[~^]+)\n)?",
    re.MULTILINE,
)
"""One frame of a node's stack trace: as in a traceback, with marks below the expression."""
HELPERS: Final = str(Path(__file__).parents[2] / "broadcast")
"""The folder of the functions whose broadcasts are meant."""


class _Frame(NamedTuple):
    """`start` is where the marks begin; where they end says nothing."""

    file: str
    line: int
    name: str
    start: int | None


def events_of(module: GraphModule, level: Level) -> Iterator[GuardEvent]:
    """What a guard of that level would say of the operations, in their order."""
    known = examiners(level)
    with watching():
        for part in module.modules():
            for node in part.graph.nodes if isinstance(part, GraphModule) else ():
                _mark_if_made_by_a_helper(node)
                function = _function(node)
                examiner = None if function is None else known.get(function)
                event = None if examiner is None else _examined(node, examiner)
                if event is not None:
                    yield event


def _examined(node: Node, examiner: Examiner) -> GuardEvent | None:
    args = map_arg(node.args, _value)
    kwargs = map_arg(node.kwargs, _value)
    tensors = (*args, *kwargs.values())
    # Sizes that are symbols take part in what is compiled for all of them.
    place = _place(node) if has_plain_sizes(tensors) else None
    if place is None:
        return None
    try:
        return examiner.examine_at(place, args, kwargs)
    except Exception as error:  # noqa: BLE001 - the one door for our own bugs
        survive(error, f"looking at `{node.target}`")
        return None


def _value(node: Node) -> Any:  # noqa: ANN401 - whatever Dynamo knows of it
    return node.meta.get("example_value")


def _function(node: Node) -> Callable[..., Any] | None:
    """The function of torch that a node calls."""
    target: Any = node.target
    if node.op == "call_method":
        return getattr(Tensor, target, None)
    if node.op != "call_function":
        return None
    if _is_operator(node):
        return getattr(Tensor, f"__{target.__name__.strip('_')}__", None)
    return target  # type: ignore[no-any-return]


def _is_operator(node: Node) -> bool:
    return getattr(operator, getattr(node.target, "__name__", ""), None) is node.target


def _mark_if_made_by_a_helper(node: Node) -> None:
    if isinstance(_value(node), Tensor) and HELPERS in (node.stack_trace or ""):
        mark(_value(node))


def _place(node: Node) -> Place | None:
    """The place of a node's operation; None where nobody wrote it."""
    frames = [_read(found) for found in _FRAME.finditer(f"{node.stack_trace or ''}\n")]
    shown = [(frame, FRAMES.scope_of(frame.file)) for frame in frames]
    own = [(frame, scope) for frame, scope in shown if scope is not Scope.TRANSPARENT]
    if not own or own[-1][1] is Scope.GENERATED:
        return None
    frame, scope = own[-1]
    source = "".join(linecache.getlines(frame.file))
    lines, text = _expression(frame, source, call=not _is_operator(node))
    module = _module(frame.file)
    site = read_site(frame.file, source, lines, text, (module, f"{module}.{frame.name}"))
    # Dynamo leaves out torch's own frames, so it takes the text to tell whose operation it is.
    return Place(site, scope is Scope.LIBRARY, plain=True, written=site.called is None)


def _read(found: re.Match[str]) -> _Frame:
    start = None if found["marks"] is None else len(found["left"])
    return _Frame(found["file"], int(found["line"]), found["name"], start)


def _expression(frame: _Frame, source: str, *, call: bool) -> tuple[range, str | None]:
    """The lines and the text of the expression, or of its statement where that is all there is."""
    if frame.start is not None:
        line = linecache.getline(frame.file, frame.line)
        # A trace shows lines without what they are indented by.
        before = line[: len(line) - len(line.lstrip()) + frame.start]
        lines, text = syntax.operation(source, frame.line, len(before.encode()), call=call)
        if text is not None:
            return lines, text
    return syntax.statement(source, frame.line)


def _module(file: str) -> str:
    for name, module in list(sys.modules.items()):
        if name != "__main__" and getattr(module, "__file__", None) == file:
            return name
    return Path(file).stem
