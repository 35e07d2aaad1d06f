# SPDX-License-Identifier: Apache-2.0
"""Shows one silent broadcast on real data, and the three ways to catch it.

`make demo` runs it. Each step prints the command that it runs, what that said, and what just
happened; a step that does not end as it should fails the demo.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = "examples/regression"
PROGRAMS = {
    "python": [sys.executable],
    "typedtensors": [sys.executable, "-m", "typedtensors"],
}


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


STEPS = (
    Step(
        "A training script with a bug in it",
        f"python {HERE}/buggy.py",
        0,
        "The loss falls and nothing warns, yet the model has learned to predict the mean: the\n"
        "prediction is (342, 1), the target (342,), and their difference a (342, 342) table.",
    ),
    Step(
        "Stop it where it happens: no annotations, no change to the script",
        f"typedtensors run --guard suspicious {HERE}/buggy.py",
        1,
        "The guard stopped the script at the first broadcast that nobody asked for.",
    ),
    Step(
        "Find it without running anything, from annotated shapes",
        f"typedtensors check {HERE}/annotated.py",
        1,
        "mypy's plugin followed the annotations to the line, and names the fix.",
    ),
    Step(
        "Find it in a training loop that has no annotations at all",
        f"typedtensors check {HERE}/train.py",
        1,
        "The shapes came from the model and the loader that `train()` calls, in model.py.",
    ),
    Step(
        "Check a function's arguments when it is called",
        f"python {HERE}/checked.py",
        1,
        "`@typechecked` says which argument disagrees, and with what.",
    ),
    Step(
        "The fixed script",
        f"python {HERE}/fixed.py",
        0,
        "One `squeeze(-1)` later the same model explains more than half of the variance.",
    ),
)


def main() -> int:
    """Run every step; the exit status is 1 if one did not end as it should."""
    for number, step in enumerate(STEPS, 1):
        print(f"\n{'-' * 90}\n{number}. {step.title}\n\n$ {step.command}", flush=True)
        status = subprocess.run(_arguments(step.command), cwd=ROOT, check=False).returncode
        if status != step.status:
            print(f"\nThis should have ended with status {step.status}, not {status}.")
            return 1
        print(f"\n{step.lesson}", flush=True)
    return 0


def _arguments(command: str) -> list[str]:
    program, *rest = command.split()
    return [*PROGRAMS[program], *rest]


if __name__ == "__main__":
    sys.exit(main())
