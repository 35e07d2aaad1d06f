# SPDX-License-Identifier: Apache-2.0
"""The source text at the place of an event."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from typedtensors.diagnostics.cell import shown_file
from typedtensors.guard.reading import syntax
from typedtensors.guard.reading.preparation import Variables, is_prepared
from typedtensors.guard.reading.provenance import belonging
from typedtensors.shapes.broadcast import (
    accepted_lines,
    inserts_axis,
    meets_itself,
    tabulates,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType

_LONGEST: Final = 160


@dataclass(frozen=True)
class Site:
    """One instruction of one code object, and the expression it evaluates.

    `file` is its name, or that of a notebook's cell, `In[3]`.
    `module` is the name of the module, which for a script is its file's, as a type checker calls
    it; `function` is the dotted name of the function, `module.Class.method`.
    `expression` is the source text on one line; without column positions (Python 3.10, or
    `-X no_debug_ranges`) the statement's, and None where there is no source. `inserts`: the
    expression inserts an axis. `prepared`: an earlier line of the function did, for a variable of
    the expression. `paired`: its operands are one tensor, turned two ways. `tabulates`: it
    puts a column together with one that it makes a row. `belonging`: those operands that belong to
    the last axes of another, whatever has the same size. `compared`: its function compares sizes
    before. `accepted`: its lines, or those at the ends of its statement, say `# broadcast: ok`.
    """

    file: str
    line: int
    module: str
    function: str
    expression: str | None = None
    parsed: syntax.Parsed | None = None
    inserts: bool = False
    prepared: bool = False
    paired: bool = False
    tabulates: bool = False
    belonging: tuple[ast.expr, ...] = ()
    compared: bool = False
    accepted: bool = False

    @property
    def called(self) -> str | None:
        """The name of the function that the expression calls, if it is a call."""
        return syntax.called(self.parsed)

    def operands(self, places: Sequence[int], *, method: bool) -> list[str | None]:
        """The source texts of the operation's arguments at these positions, where they are plain.

        `method`: the operation is a method, so its first argument is before the dot.
        """
        return syntax.arguments(self.parsed, places, method=method)

    def belongs(self, place: int, *, method: bool) -> bool:
        """Whether the argument at this position belongs to the last axes of another."""
        found = [] if self.parsed is None else syntax.operands(self.parsed.node, method=method)
        return place < len(found) and found[place] in self.belonging


# By identity: comparing code objects compares their bytecode. The code is kept alive beside it.
_sites: Final[dict[tuple[int, int], tuple[CodeType, Site]]] = {}


def site_of(frame: FrameType) -> Site:
    """The site at which the frame stands."""
    key = (id(frame.f_code), frame.f_lasti)
    known = _sites.get(key)
    if known is None:
        known = _sites[key] = (frame.f_code, _read(frame))
    return known[1]


def _read(frame: FrameType) -> Site:
    file = frame.f_code.co_filename
    source = linecache.getlines(file, frame.f_globals)
    span, text = _expression(frame, source)
    module = _module(frame)
    function = f"{module}.{_qualified_name(frame.f_code)}"
    return read_site(file, "".join(source), span, text, (module, function))


def read_site(
    file: str, source: str, lines: range, text: str | None, names: tuple[str, str]
) -> Site:
    """The site of an expression, or of the statement around it.

    Arguments: the file and its source; the lines and the text of the expression; the names of the
    module and of the function.
    """
    module, function = names
    parsed = None if text is None else syntax.parse(text)
    operands = [] if parsed is None else syntax.operands(parsed.node, method=True)
    variables = Variables(source, lines.start)
    return Site(
        file=shown_file(file),
        line=lines.start,
        module=module,
        function=function,
        expression=None if text is None else _one_line(text),
        parsed=parsed,
        inserts=parsed is not None and inserts_axis(parsed.node),
        prepared=parsed is not None and is_prepared(parsed.node, lines.start, variables),
        paired=parsed is not None and meets_itself(parsed.node),
        tabulates=parsed is not None and tabulates(parsed.node),
        belonging=belonging(operands, lines.start, variables),
        compared=variables.compare_sizes(lines.start),
        accepted=not accepted_lines(source).isdisjoint(lines),
    )


def _module(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "?")
    if name != "__main__":
        return name
    spec, file = frame.f_globals.get("__spec__"), frame.f_globals.get("__file__")
    if spec is not None:
        return str(spec.name)
    return Path(file).stem if file else name


def _qualified_name(code: CodeType) -> str:
    # Before Python 3.11 a code object does not know of what its function is a part.
    return getattr(code, "co_qualname", code.co_name)


def _expression(frame: FrameType, source: list[str]) -> tuple[range, str | None]:
    """The lines and the text of the expression, or of its statement where columns are unknown."""
    first, last, left, right = _position(frame)
    if left is None or right is None or last > len(source):
        return syntax.statement("".join(source), first)
    # Columns count bytes of UTF-8. The last line is cut first: it may be the first one too.
    lines = [line.encode() for line in source[first - 1 : last]]
    lines[-1] = lines[-1][:right]
    lines[0] = lines[0][left:]
    return range(first, last + 1), b"".join(lines).decode(errors="replace")


def _position(frame: FrameType) -> tuple[int, int, int | None, int | None]:
    """First and last line, and columns if known, of the instruction at which the frame stands."""
    positions = getattr(frame.f_code, "co_positions", None)  # since Python 3.11
    if positions is not None:
        first, last, left, right = next(islice(positions(), frame.f_lasti // 2, None))
        if first is not None and last is not None:
            return first, last, left, right
    return frame.f_lineno, frame.f_lineno, None, None


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
