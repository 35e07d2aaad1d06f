# SPDX-License-Identifier: Apache-2.0
"""A user's program, loaded the way `python` would load it."""

from __future__ import annotations

import builtins
import importlib.util
import io
import os
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from typedtensors.cli.refusal import RefusalError


@dataclass(frozen=True)
class Program:
    """Code that is ready to run as `__main__`.

    Args:
        code: The compiled program.
        name: What `sys.argv[0]` says.
        path: What `__file__` says.
        folder: What comes first on `sys.path`.
        spec: The module's import spec; None for a script, as with `python script.py`.
    """

    code: CodeType
    name: str
    path: str
    folder: str
    spec: ModuleSpec | None = None

    def execute(self, arguments: list[str]) -> None:
        """Run the program as `__main__`, with these command-line arguments."""
        sys.argv[:] = [self.name, *arguments]
        _put_first(self.folder)
        main = ModuleType("__main__")
        main.__file__ = self.path
        main.__spec__ = self.spec
        main.__package__ = self.spec.parent if self.spec is not None else None
        vars(main)["__builtins__"] = builtins
        main.__loader__ = SourceFileLoader("__main__", self.path)
        # Stays: threads, pickles and `atexit` look the program up there when it has ended.
        sys.modules["__main__"] = main
        exec(self.code, main.__dict__)  # noqa: S102 - running the user's program is the verb


def load_script(name: str) -> Program:
    """Load `python NAME`.

    Raises:
        RefusalError: If there is no such script.
        SyntaxError: As compiling it does.
    """
    path = Path(name).absolute()
    if path.is_dir():
        raise RefusalError(f"{name} is a folder; name a script, or run a package with -m")
    try:
        with io.open_code(str(path)) as file:
            source = file.read()
    except FileNotFoundError:
        raise RefusalError(f"there is no script {name} in {Path.cwd()}") from None
    except OSError as error:
        raise RefusalError(f"{name} cannot be read: {error.strerror}") from None
    code = compile(source, str(path), "exec", dont_inherit=True)
    return Program(code, name, str(path), os.path.realpath(path.parent))


def load_module(name: str) -> Program:
    """Load `python -m NAME`.

    Raises:
        RefusalError: If there is no such module, or it is not made to be run.
    """
    folder = str(Path.cwd())
    _put_first(folder)
    spec = _find(name)
    if spec.submodule_search_locations is not None:
        spec = _find(f"{name}.__main__")
    # Namespace packages have no loader; extension modules have no code.
    get_code = getattr(spec.loader, "get_code", None)
    code = get_code(spec.name) if get_code is not None else None
    if code is None or spec.origin is None:
        raise RefusalError(f"{name} has no Python code to run")
    return Program(code, spec.origin, spec.origin, folder, spec)


def _find(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise RefusalError(f"module {name} cannot be found: {error}") from None
    if spec is None:
        raise RefusalError(f"there is no module {name}; is its folder {Path.cwd()}?")
    return spec


def _put_first(folder: str) -> None:
    """Make a folder the first that imports look in, in the place of this command's own."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder
