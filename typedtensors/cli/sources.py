# SPDX-License-Identifier: Apache-2.0
"""The paths that a verb is given to read: folders, and files of Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from typedtensors.cli.refusal import RefusalError

_PYTHON = frozenset({".py", ".pyi"})
# What to do about files of other kinds that hold Python.
_ADVICE = {
    ".ipynb": "write it out with `jupyter nbconvert --to script`",
    "": "give it a name that ends in .py",
}


def require_sources(names: Iterable[str]) -> None:
    """Raise RefusalError for a path that leads nowhere, or to a file that is not Python."""
    for name in names:
        path = Path(name)
        if not path.exists():
            raise RefusalError(f"there is no file or folder {name} in {Path.cwd()}")
        if path.is_file() and path.suffix not in _PYTHON:
            advice = _ADVICE.get(path.suffix, "name files that end in .py, or folders")
            raise RefusalError(f"{name} is not read as Python; fix: {advice}")
