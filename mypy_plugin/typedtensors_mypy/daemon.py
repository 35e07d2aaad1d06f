# SPDX-License-Identifier: Apache-2.0
"""What keeps findings right in `dmypy`, which checks again what an edit touches and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors_mypy import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mypy.errors import ErrorInfo, Errors
    from mypy.nodes import MypyFile, SymbolTableNode


class Daemon:
    """Findings that outlive the updates of a daemon.

    Each update drops all errors, then checks the edited module and the functions that it reached;
    of these, plugins are told the modules that are checked as a whole. So a module that rests on
    an edited one is made to be checked as a whole, and what was said of all others is said again.

    Args:
        symbol: The symbol whose change tells that others see a module differently.
        look_up: Finds a symbol of the build by its full name.
    """

    def __init__(self, symbol: str, look_up: Callable[[str], SymbolTableNode | None]) -> None:
        self._symbol = symbol
        self._look_up = look_up
        self._users: set[str] = set()
        self._said: dict[str, tuple[str, list[ErrorInfo]]] = {}
        self._trees: dict[str, object] | None = None

    def checked(self, file: MypyFile, rests_on: Iterable[str], said: list[ErrorInfo]) -> None:
        """Note what was said of one of the user's modules, and which modules it looked at."""
        names.check_as_a_whole(file)
        if self._trees is None:
            self._trees = names.cached_trees(file)
        self._trees.pop(file.fullname, None)
        for name in rests_on:
            names.add_dependency(file, f"{name}.{self._symbol}", file.fullname)
        self._note(file, said)
        self._watch_removals(file)

    def _note(self, file: MypyFile, said: list[ErrorInfo]) -> None:
        # The daemon would look for errors that have a target by checking the target alone.
        for info in said:
            info.target = None
        self._users.add(file.fullname)
        self._said.pop(file.fullname, None)
        if said:
            self._said[file.fullname] = file.path, said

    def _watch_removals(self, file: MypyFile) -> None:
        """Nothing is checked when a module goes: let that reach the modules with findings."""
        for other in self._said:
            names.add_dependency(file, file.fullname, other)
        if file.fullname in self._said:
            for other in self._users:
                names.add_dependency(file, other, file.fullname)

    def repeat(self, errors: Errors) -> None:
        """Say again what was said of modules that are still there."""
        for name, (path, said) in list(self._said.items()):
            if self._look_up(f"{name}.__name__") is None:
                del self._said[name]
            else:
                names.restore_errors(errors, path, said)
