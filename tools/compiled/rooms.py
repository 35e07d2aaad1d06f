# SPDX-License-Identifier: Apache-2.0
"""Which modules are compiled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# By the folder that holds the package. The families of the rules are declarations, read once.
_ROOMS = {
    ".": (
        "typedtensors/diagnostics",
        "typedtensors/dims",
        "typedtensors/shapes",
        "typedtensors/ops",
    ),
    "mypy_plugin": ("typedtensors_mypy/source", "typedtensors_mypy/interpreter"),
}
_LEFT_OUT = (
    "typedtensors/diagnostics/error.py",  # what users catch, and may derive from
    "typedtensors/diagnostics/explain.py",
    "typedtensors/diagnostics/cell.py",
    "typedtensors/dims/quick.py",  # says one thing to type checkers and does another
    "typedtensors/shapes/arrays/",  # run time only; marks functions for AutoGraph
    "typedtensors/ops/fields.py",  # has a subclass of `tuple`, which mypyc does not know
    "typedtensors/ops/families/",
    "typedtensors/ops/catalog/",
)


def modules(root: Path) -> Iterator[tuple[Path, Path]]:
    """Each module that is compiled: the folder that its path begins in, and its path."""
    for container, rooms in _ROOMS.items():
        folder = root / container
        for room in rooms:
            for path in sorted((folder / room).rglob("*.py")):
                relative = path.relative_to(folder)
                if not relative.as_posix().startswith(_LEFT_OUT):
                    yield folder, relative
    yield root / "mypy_plugin", Path("typedtensors_mypy/findings.py")


def name_of(path: Path) -> str:
    """The name under which a module is imported."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")
