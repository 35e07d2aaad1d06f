# SPDX-License-Identifier: Apache-2.0
"""Walks through the steps of a demo: what each runs, what that said, and what just happened."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "python": [sys.executable],
    "typedtensors": [sys.executable, "-m", "typedtensors"],
}
# Of what processors it was not built for, TensorFlow tells on each start.
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}


@dataclass(frozen=True)
class Step:
    """One screen of the demo.

    Args:
        title: What it shows.
        command: What to run, as a user would type it.
        status: The exit status that it must have.
        lesson: What just happened.
    """

    title: str
    command: str
    status: int
    lesson: str


def walk(steps: Sequence[Step]) -> int:
    """Run every step; the exit status is 1 if one did not end as it should."""
    for number, step in enumerate(steps, 1):
        print(f"\n{'-' * 90}\n{number}. {step.title}\n\n$ {step.command}", flush=True)
        command, env = _arguments(step.command), {**QUIET, **os.environ}
        status = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
        if status != step.status:
            print(f"\nThis should have ended with status {step.status}, not {status}.")
            return 1
        print(f"\n{step.lesson}", flush=True)
    return 0


def _arguments(command: str) -> list[str]:
    program, *rest = command.split()
    return [*PROGRAMS[program], *rest]
