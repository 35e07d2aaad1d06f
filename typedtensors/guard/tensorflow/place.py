# SPDX-License-Identifier: Apache-2.0
"""Where in a program an operation is, and whether it is the program's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from typedtensors.guard.reading.source import site_of
from typedtensors.guard.tensorflow.owners import Owner, owner_of, owner_of_file
from typedtensors.guard.tensorflow.recorded import recorded_site
from typedtensors.guard.tensorflow.table import COMPOSED, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from traceback import FrameSummary
    from types import FrameType

    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.tensorflow.table import Role

    Frame: TypeAlias = FrameType | FrameSummary

_WRAPPERS: Final = frozenset(
    {"error_handler", "op_dispatch_handler", "wrapper", "new_func", "sparse_wrapper"}
)
"""The names of functions around others, which say nothing of what was called."""
_OPERATORS: Final = frozenset(
    {"binary_op_wrapper", "r_binary_op_wrapper", "_run_op", "tensor_equals", "tensor_not_equals"}
    | {"_tensor_equals_factory", "_tensor_not_equals_factory"}
)
"""The names of TensorFlow's functions behind operators of Python."""
_ENDS: Final = frozenset({Owner.LIBRARY, Owner.PROJECT, Owner.CONVERTED})


class Path(NamedTuple):
    """The way from an operation out to the program.

    `frame` is the innermost one of a program; `entry` the framework's function that it called, None
    if that has no frame; `compared` the frame of a loss or metric of Keras on the way.
    """

    frame: Frame
    owner: Owner
    entry: str | None
    compared: Frame | None


@dataclass(frozen=True)
class Place:
    """A site, seen from one operation there.

    `library`: it is in an installed package. `name`: what the program called. `written`: the
    arguments there are those of the operation.
    """

    site: Site
    library: bool
    name: str
    written: bool


def path_from(frame: FrameType | None) -> Path | None:
    """The path from a running frame; None if it leads through what is no program's business."""
    return _path((owner_of(each.f_code), each.f_code.co_name, each) for each in _outwards(frame))


def path_recorded(operation: Any) -> Path | None:  # noqa: ANN401 - of TensorFlow
    """As `path_from`, of an operation in a graph, by what it recorded when it was made."""
    frames = reversed(operation.traceback)
    return _path((owner_of_file(each.filename), each.name, each) for each in frames)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _path(frames: Iterable[tuple[Owner, str, Frame]]) -> Path | None:
    entry: str | None = None
    compared: Frame | None = None
    for owner, name, frame in frames:
        if owner in _ENDS:
            return Path(frame, owner, entry, compared)
        if owner is Owner.DERIVING or (owner is Owner.KERAS and compared is None):
            return None
        if owner is Owner.COMPARING and compared is None:
            compared = frame
        if owner is Owner.FRAMEWORK and name not in _WRAPPERS:
            entry = name
    return None


def place_at(path: Path, role: Role, output: Any) -> Place | None:  # noqa: ANN401 - of TensorFlow
    """The place that a path leads to; None if nobody knows its source.

    `output` is a tensor that the operation made.
    """
    # What AutoGraph writes is read by nobody, and an operation in a graph knows what it stands for.
    running = path.owner is not Owner.CONVERTED and hasattr(path.frame, "f_code")
    site = site_of(path.frame) if running else recorded_site(output.op, role)  # type: ignore[arg-type]
    if site is None:
        return None
    name = path.entry if path.entry in COMPOSED else role.name
    written = site.called is None or site.called in {path.entry, *role.names}
    return Place(site, path.owner is Owner.LIBRARY, name or role.name, written)


def is_whole(path: Path, role: Role) -> bool:
    """Whether what the program called is this operation, and not something that is built on it."""
    entry = path.entry
    if entry is None or entry in _OPERATORS or entry in role.names or entry in NAMES:
        return True
    return entry.startswith("__")
