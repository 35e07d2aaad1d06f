# SPDX-License-Identifier: Apache-2.0
"""Where in a program an operation is, and whether it is the program's own."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from typedtensors.guard.reading.source import site_of
from typedtensors.guard.tensorflow.places.converted import written_before
from typedtensors.guard.tensorflow.places.owners import Owner, owner_of, owner_of_file
from typedtensors.guard.tensorflow.places.recorded import recorded_sites
from typedtensors.guard.tensorflow.table import COMPOSED, NAMES, calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from traceback import FrameSummary
    from types import FrameType

    from typedtensors.guard.reading.source import Site
    from typedtensors.guard.tensorflow.table import Role

    Frame: TypeAlias = FrameType | FrameSummary

_WRAPPERS: Final = frozenset(
    {"error_handler", "op_dispatch_handler", "wrapper", "new_func", "sparse_wrapper"}
    | {"converted_call", "_call_unconverted"}
)
"""The names of functions around others, which say nothing of what was called. The last are those by
which code of AutoGraph's calls what stays as it is."""
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
    """As `path_from`, of an operation in a graph, by what it recorded when it was made.

    Operations of a graph that was loaded from a file recorded nothing.
    """
    frames = reversed(operation.traceback or ())
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


def places_at(path: Path, role: Role, output: Any) -> list[Place]:  # noqa: ANN401 - of TensorFlow
    """The places that a path may lead to, several where the source does not say which.

    `output` is a tensor that the operation made.
    """
    name = path.entry if path.entry in COMPOSED else role.name
    library = path.owner is Owner.LIBRARY
    return [
        Place(site, library, name or role.name, _is_written(site, path, role))
        for site in _sites(path, role, output)
    ]


def _sites(path: Path, role: Role, output: Any) -> Sequence[Site]:  # noqa: ANN401 - of TensorFlow
    frame: Any = path.frame
    if not hasattr(frame, "f_code"):
        return recorded_sites(output.op, role)
    site = site_of(frame)
    if path.owner is not Owner.CONVERTED:
        return (site,)
    # What AutoGraph writes is read by nobody, and an operation in a graph knows what it stands for.
    text = None if site.parsed is None else written_before(site.parsed.node)
    return recorded_sites(output.op, role, text)


def _is_written(site: Site, path: Path, role: Role) -> bool:
    """Whether the arguments at the site are those of the operation."""
    node = None if site.parsed is None else site.parsed.node
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)):
        # The statement, where columns are unknown.
        node = node.value
    if node is None:
        return False
    return calls(node, role) or (path.entry is not None and site.called == path.entry)


def is_whole(path: Path, role: Role) -> bool:
    """Whether what the program called is this operation, and not something that is built on it."""
    entry = path.entry
    if entry is None or entry in _OPERATORS or entry in role.names or entry in NAMES:
        return True
    return entry.startswith("__")
