# SPDX-License-Identifier: Apache-2.0
"""The page of the docs that holds the rules against torch's own test inputs, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.catalog.samples import Counts, table, total, version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_INTRODUCTION = """\
# Against torch's own tests

torch {version} comes with the inputs of its own tests: for almost every operation and module the
calls that have to work, and for many the calls that have to raise. Each is made, and the rules are
asked about it, once with all sizes in sight and once with symbols for them. A result that differs
from torch's, or an error where torch has none, fails the tests.

Of the calls that raise, those count whose message speaks of the number or the sizes of axes, or of
an axis that is named. Operations under no name that people write (`torch._scaled_mm`) are left out.
Where the elements decide a size (how many are unique), no check that reads shapes can name it. The
call is made again with other elements in arrays of the same shapes: if just the sizes that the rule
leaves open are then others, it said what there is to say, and the sample counts as exact. How many
do so stands beside it.
"""
_COLUMNS = ("", "samples", "exact %", "by elements", "dtype %", "wrong", "raising", "reported %")


def page() -> str:
    """The whole page."""
    ops = {name: row for name, row in table().items() if not is_module(name)}
    modules = {name: row for name, row in table().items() if is_module(name)}
    sums = {f"{len(ops)} operations": total(ops.values())}
    sums |= {f"{len(modules)} modules": total(modules.values())}
    parts = [_INTRODUCTION.format(version=version()), *_rows(sums.items())]
    parts += ["\n## Operations\n", *_rows((f"`{name}`", row) for name, row in ops.items())]
    parts += ["\n## Modules\n", *_rows((f"`{name}`", row) for name, row in modules.items())]
    return "\n".join([*parts, ""])


def is_module(name: str) -> bool:
    """Whether a name of torch's databases is a module's: `nn.Pad`, not `nn_functional_pad`."""
    return name.startswith("nn.")


def _rows(rows: Iterable[tuple[str, Counts]]) -> Iterator[str]:
    yield _line(_COLUMNS)
    yield _line("---" for _ in _COLUMNS)
    for name, row in rows:
        exact = (_percent(row.shape + row.open, row.samples), str(row.open or ""))
        dtype, wrong = _percent(row.dtype, row.samples), str(row.faults)
        raising = (str(row.raising or ""), _percent(row.rejected, row.raising))
        yield _line((name, str(row.samples), *exact, dtype, wrong, *raising))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}".removesuffix(".0") if whole else ""


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
