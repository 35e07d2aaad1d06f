# SPDX-License-Identifier: Apache-2.0
"""Which dims are bound where, while the lines that bind and compare them are written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from typedtensors.runtime.codegen.code import Code, NotCompilableError
from typedtensors.runtime.codegen.support import join


class Dims:
    """The variable of each dim, and what is known of it at the line that is being written.

    Invariant: a dim in `bound` has a size whenever the next line runs. Any other dim that has a
    variable may have one: its variable is set to None before the first line.

    Args:
        code: where lines are written.
        flexible_runs: variadic names that some annotation of the function writes as `*#name`.
    """

    def __init__(self, code: Code, flexible_runs: frozenset[str]) -> None:
        """Know of no dim."""
        self._code = code
        self._flexible_runs = flexible_runs
        self.sizes: dict[str, str] = {}
        self.runs: dict[str, str] = {}
        self.bound: set[str] = set()
        self._unset: set[str] = set()
        self._started: set[str] = set()
        self.depth = 0
        self.in_option = False

    @contextlib.contextmanager
    def branch(self, *, option: bool = False) -> Iterator[None]:
        """Within, lines run under a condition, in a loop or, as an `option`, tentatively."""
        before, in_option = set(self.bound), self.in_option
        self.depth += 1
        self.in_option = in_option or option
        yield
        self.depth -= 1
        self.bound, self.in_option = before, in_option

    def is_new(self, name: str) -> bool:
        """Say whether nothing can have bound the dim before: its first axis needs no test."""
        return name not in self.sizes and self.depth == 0

    def size(self, name: str) -> str:
        """Return the variable of a dim."""
        if name not in self.sizes:
            self.sizes[name] = self._code.name(name)
        return self.sizes[name]

    def set(self, name: str) -> str:
        """Return the variable of a dim that the next line sets."""
        self.bound.add(name)
        return self.size(name)

    def may_set(self, name: str) -> str:
        """Return the variable of a dim that the next line sets, or leaves at None."""
        variable = self.size(name)
        self._started.add(variable)
        return variable

    def is_new_run(self, name: str) -> bool:
        """The same for a variadic, if it is kept as the list that unpacking gives."""
        return name not in self.runs and self.depth == 0 and name not in self._flexible_runs

    def run(self, name: str) -> str:
        """Return the variable of a variadic."""
        if name not in self.runs:
            self.runs[name] = self._code.name(name)
        return self.runs[name]

    def set_run(self, name: str) -> str:
        """Return the variable of a variadic that the next line sets."""
        self.bound.add(f"*{name}")
        return self.run(name)

    def meet(self, name: str, found: str) -> None:
        """Compare the size of an axis with its dim, or bind the dim."""
        variable = self.size(name)
        if name in self.bound:
            self._code.fail_if(f"{found} != {variable}")
            return
        self._unset.add(variable)
        self._bind_or_compare(variable, found)
        self.bound.add(name)

    def meet_flexible(self, name: str, found: str) -> None:
        """The same for `#name`, where a 1 says nothing."""
        variable = self.size(name)
        if name in self.bound:
            self._code.fail_if(f"{found} != {variable} and {found} != 1")
            return
        self._unset.add(variable)
        with self._code.block(f"if {found} != 1:"):
            self._bind_or_compare(variable, found)

    def _bind_or_compare(self, variable: str, found: str) -> None:
        with self._code.block(f"if {variable} is None:"):
            self._code.line(f"{variable} = {found}")
        with self._code.block(f"elif {found} != {variable}:"):
            self._code.line(f"raise {self._code.misfit}")

    def meet_run(self, name: str, found: str, *, flexible: bool) -> None:
        """Compare the axes of a variadic with what it stands for, or bind it."""
        key, variable = f"*{name}", self.run(name)
        if name in self._flexible_runs:
            joined = self._code.constant("join", join)
            self._unset.add(variable)
            self._code.line(f"{variable} = {joined}({variable}, {found}, {flexible})")
        elif key in self.bound:
            self._code.fail_if(f"{found} != {variable}")
        else:
            self._unset.add(variable)
            self._bind_or_compare(variable, found)
        self.bound.add(key)

    def start(self, position: int) -> None:
        """Set to None, at an earlier line, what lines from there on may leave without a value."""
        new = self._unset - self._started
        if new:
            self._code.insert(position, f"{' = '.join(sorted(new))} = None")
        self._started |= new

    @contextlib.contextmanager
    def apart(self) -> Iterator[None]:
        """Within, lines belong to another function, which binds dims of its own."""
        before = dict(self.sizes), dict(self.runs), set(self.bound), set(self._started)
        yield
        self.sizes, self.runs, self.bound, self._started = before

    def require(self, names: Iterable[str]) -> None:
        """Leave the fast path unless these dims are bound.

        Raises:
            NotCompilableError: nothing so far can have bound one of them.
        """
        for name in sorted(names):
            if name not in self.sizes:
                raise NotCompilableError(name)
            if name not in self.bound:
                self._code.fail_if(f"{self.sizes[name]} is None")

    def names_to_restore(self, names: Iterable[str], runs: Iterable[str]) -> list[str]:
        """Return the variables of those dims that lines to come may bind, set to None so far."""
        found = [self.size(name) for name in sorted(names) if name not in self.bound]
        found += [self.run(name) for name in sorted(runs) if self._may_change(name)]
        self._unset.update(found)
        return found

    def _may_change(self, run: str) -> bool:
        """Say whether a run is not bound, or may yet be stretched."""
        return f"*{run}" not in self.bound or run in self._flexible_runs
