# SPDX-License-Identifier: Apache-2.0
"""Runs programs instrumented and guarded, and holds the run against the static check."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import torch

from tests.oracle.calls import call_all
from tests.oracle.claims import Checked, claim
from tests.oracle.instrument import RECORDER, instrument
from tests.oracle.judge import Judgement, judge
from tests.oracle.recorder import Recorder, TooLong
from typedtensors import guard
from typedtensors.guard import GuardEvent


@dataclass(frozen=True, eq=False)
class Outcome:
    """One module, checked and run; `events` are what the guard saw in it."""

    source: str
    checked: Checked
    recorder: Recorder
    events: list[GuardEvent]

    @property
    def judgement(self) -> Judgement:
        """What the run says of the check."""
        return judge(self.recorder, self.checked.claims)


@dataclass(frozen=True)
class Program:
    """Modules by their full names, in files of those names under `root`."""

    root: Path
    files: Mapping[str, str]

    def run(self, functions: Sequence[str] | None = None) -> list[Outcome]:
        """Import every module, then call functions with made-up arguments: all, or those named."""
        checked = {name: claim(self.files, name) for name in self.files}
        with _importing(self), warnings.catch_warnings(), torch.random.fork_rng():
            warnings.simplefilter("ignore")
            torch.manual_seed(0)
            with guard("suspicious", action="record") as report:
                modules = {name: self.module(name) for name in self.files}
                for name, module in modules.items():
                    call_all(module, checked[name], self.files[name], functions)
        return [
            Outcome(
                source,
                checked[name],
                vars(modules[name])[RECORDER],
                [event for event in report.events if Path(event.file) == self._path(name)],
            )
            for name, source in self.files.items()
        ]

    def _path(self, name: str) -> Path:
        return self.root / f"{name.replace('.', '/')}.py"

    def module(self, name: str) -> ModuleType:
        """A module, run unless it has been."""
        if name not in sys.modules:
            module = sys.modules[name] = ModuleType(name)
            file = module.__file__ = str(self._path(name))
            module.__package__ = name.rpartition(".")[0]
            vars(module)[RECORDER] = Recorder(file, self.files[name])
            code = compile(instrument(self.files[name]), file, "exec", dont_inherit=True)
            with suppress(TooLong):
                exec(code, vars(module))  # noqa: S102
        return sys.modules[name]

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """As the import system asks for a module."""
        return ModuleSpec(name, self) if name in self.files else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """As the import system asks for a module."""
        return self.module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """As the import system asks for it: it has been run."""


@contextmanager
def _importing(program: Program) -> Iterator[None]:
    """Let a program's modules import each other, and forget them afterwards."""
    before = dict(sys.modules)
    packages = {name.rpartition(".")[0] for name in program.files} - {""}
    for name in packages:
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = []
    for name in program.files:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, program)  # type: ignore[arg-type]
    builtins.reveal_type = lambda value: value  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del builtins.reveal_type  # type: ignore[attr-defined]
        sys.meta_path.remove(program)  # type: ignore[arg-type]
        for name in [*program.files, *packages]:
            sys.modules.pop(name, None)
            if name in before:
                sys.modules[name] = before[name]
