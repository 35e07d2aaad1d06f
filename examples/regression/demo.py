# SPDX-License-Identifier: Apache-2.0
"""Shows one silent broadcast on real data, and the three ways to catch it.

`make demo` runs it. Each step prints the command that it runs, what that said, and what just
happened; a step that does not end as it should fails the demo.
"""

from __future__ import annotations

import sys

from walk import Step, walk

HERE = "examples/regression"
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


if __name__ == "__main__":
    sys.exit(walk(STEPS))
