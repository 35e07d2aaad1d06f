# SPDX-License-Identifier: Apache-2.0
"""Which module holds the rule of an op: read from `index.txt`, so that none has to be imported.

`make index` writes the file from the rules themselves; a test compares the two.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PATH = Path(__file__).with_name("index.txt")


@cache
def index() -> Mapping[str, str]:
    """The module of each name that has a rule, below `families`: `algebra.linalg`."""
    return read(PATH.read_text(encoding="utf-8"))


def read(text: str) -> Mapping[str, str]:
    r"""Read an index: names, a line each, under the module that they are in.

    >>> read("[algebra.linalg]\ntorch.mm\n")
    {'torch.mm': 'algebra.linalg'}
    """
    found, module = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            module = line[1:-1]
        elif not line.startswith("#"):
            found[line] = module
    return found


def write(modules: Mapping[str, Iterable[str]]) -> str:
    """The text of an index: what each module holds."""
    lines = ["# Written by `make index` from the rules in `families`."]
    for module in sorted(modules):
        lines += [f"[{module}]", *sorted(modules[module])]
    return "\n".join([*lines, ""])
