# SPDX-License-Identifier: Apache-2.0
"""Ways to run mypy over a project again and again, each behind one function of what it says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.case_build import environment

# mypy gives a worker three seconds to start; on a busy machine that is not enough.
_BUSY = "Failed to establish connection with worker"
_ATTEMPTS = 10
_FLAGS = ("--show-column-numbers", "--no-error-summary", "--no-pretty", "--no-color-output")


@dataclass(frozen=True)
class Run:
    """Runs of `mypy` that share a cache."""

    folder: Path
    cache: Path
    flags: Sequence[str] = ()

    def __call__(self) -> list[str]:
        command = ["mypy", *_FLAGS, f"--cache-dir={self.cache}", *self.flags, "."]
        return _lines(self.folder, command)

    def close(self) -> None:
        pass


@dataclass
class DaemonRun:
    """One `dmypy`, started at the first call; with `again`, it is asked for what it was before.

    Before that, it may be asked to `suggest` a signature of a function.
    """

    folder: Path
    cache: Path
    flags: Sequence[str] = ()
    again: bool = False
    suggest: str | None = None
    _is_running: bool = False

    def __call__(self) -> list[str]:
        if not self._is_running:
            flags = [*_FLAGS, f"--cache-dir={self.cache}", *self.flags]
            self._ask("start", "--", *flags)
            self._is_running = True
            return self._ask("check", ".")
        if self.suggest is not None:
            self._ask("suggest", self.suggest)
        return self._ask("recheck") if self.again else self._ask("check", ".")

    def close(self) -> None:
        self._ask("stop")

    def _ask(self, *arguments: str) -> list[str]:
        status = self.cache.with_suffix(".json")
        command = ["mypy.dmypy", "--status-file", str(status), *arguments]
        return [line for line in _lines(self.folder, command) if not line.startswith("Daemon ")]


def _lines(folder: Path, command: Sequence[str]) -> list[str]:
    """What a module of mypy prints; AssertionError if that is not about the files alone."""
    for _ in range(_ATTEMPTS):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if _BUSY not in done.stdout + done.stderr:
            break
    assert done.returncode in (0, 1, 2) and not done.stderr, done.stdout + done.stderr  # noqa: PT018
    return done.stdout.splitlines()
