# SPDX-License-Identifier: Apache-2.0
"""Turn modules into C with mypyc, and C into extensions."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from tools.compiled.rooms import modules
from tools.compiled.sources import prepared

_CONFIG = """\
[mypy]
implicit_reexport = True
[mypy-{others}]
follow_imports = skip
"""
# What the compiled rooms have no part in: to read it would take minutes.
_OTHERS = "torch.*,tensorflow.*,keras.*,jax.*,numpy.*,jaxtyping.*,beartype.*,einops.*,typedtensors"

# Part of the digest that mypy's cache depends on, as all files of that kind are.
_STAMP = Path("typedtensors_mypy/compiled.txt")


def build(root: Path, folder: Path) -> list[Path]:
    """Compile into a folder; the paths of the extensions and their stamp, relative to it."""
    paths = _write(root, folder)
    with _inside(folder):
        _compile([str(path) for path in paths])
    built = sorted(path for end in ("so", "pyd") for path in folder.rglob(f"*.{end}"))
    found = hashlib.sha256()
    for path in built:
        found.update(path.read_bytes())
    (folder / _STAMP).write_text(f"{found.hexdigest()}\n", encoding="utf-8")
    return [_STAMP, *(path.relative_to(folder) for path in built)]


def _write(root: Path, folder: Path) -> list[Path]:
    """Copy the packages, and write out the modules that are compiled; their paths."""
    for container, package in ((".", "typedtensors"), ("mypy_plugin", "typedtensors_mypy")):
        source = root / container
        shutil.copytree(source / package, folder / package)
        sys.path.insert(0, str(source))
    import_module("typedtensors_mypy.interpreter")
    found = {path: source for source, path in modules(root)}
    for path, text in prepared(found):
        (folder / path).write_text(text, encoding="utf-8")
    return [*found]


def _compile(paths: list[str]) -> None:
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class Parallel(build_ext):
        """Compiles the files of one extension side by side: of ours, one has nearly all."""

        def build_extensions(self) -> None:
            compile_some = self.compiler.compile

            def compile_all(sources: list[str], **options: object) -> list[str]:
                with ThreadPoolExecutor(os.cpu_count()) as pool:
                    made = pool.map(lambda source: compile_some([source], **options), sources)
                    return [path for paths in made for path in paths]

            self.compiler.compile = compile_all
            super().build_extensions()

    config = Path("mypyc.ini")
    config.write_text(_CONFIG.format(others=_OTHERS), encoding="utf-8")
    extensions = mypycify(
        [f"--config-file={config}", *paths],
        opt_level=os.environ.get("MYPYC_OPT_LEVEL", "1"),
        debug_level="0",
        multi_file=True,
        target_dir="c",
    )
    if sys.platform != "win32":
        for extension in extensions:
            # Nobody else calls what is in one: its functions then call each other without a table.
            extension.extra_compile_args.append("-fvisibility=hidden")
    command = Parallel(Distribution({"ext_modules": extensions}))
    command.build_lib, command.build_temp = ".", "objects"
    command.ensure_finalized()
    command.run()


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
