# SPDX-License-Identifier: Apache-2.0
"""The sources that mypyc gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from tools.compiled.acyclic import acyclic
from tools.compiled.constants import with_constants
from tools.compiled.idioms import with_idioms
from tools.compiled.rooms import name_of
from tools.compiled.written_out import written_out


def prepared(modules: Mapping[Path, Path]) -> Iterator[tuple[Path, str]]:
    """Each module, with what it is turned into; given the folders that their paths begin in."""
    imported = {path: import_module(name_of(path)) for path in modules}
    unfollowed = acyclic(imported.values())
    names = {module.__name__ for module in imported.values()}
    for path, module in imported.items():
        text = (modules[path] / path).read_text(encoding="utf-8")
        text = with_idioms(written_out(text, module, unfollowed))
        yield path, with_constants(text, module, names)
