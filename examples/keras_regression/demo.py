# SPDX-License-Identifier: Apache-2.0
"""Shows one silent broadcast in a loss of Keras's on real data, and the four ways to catch it.

`python examples/keras_regression/demo.py` runs it, where TensorFlow is installed. A step that does
not end as it should fails the demo.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "regression"))

from walk import Step, walk

HERE = "examples/keras_regression"
STEPS = (
    Step(
        "A training script with a bug in it",
        f"python {HERE}/buggy.py",
        0,
        "The loss falls and nothing warns, yet the model has learned to predict the mean: in a\n"
        "batch the targets are (32,), the predictions (32, 1), and their difference (32, 32).",
    ),
    Step(
        "Stop it where it happens: no annotations, no change to the script",
        f"typedtensors run --guard suspicious {HERE}/buggy.py",
        1,
        "The guard stopped `fit` while it traced the loss, before a step was made.",
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
        "The shapes came from the model and the data that `train()` calls, in model.py.",
    ),
    Step(
        "Find it where `compile` and `fit` bring a loss and data together",
        f"typedtensors check {HERE}/fitted.py",
        1,
        "`fit` gives the loss that `compile` got the model's outputs and the targets.",
    ),
    Step(
        "Check a loss's arguments when Keras calls it",
        f"python {HERE}/checked.py",
        1,
        "`@typechecked` says which argument disagrees, and with what.",
    ),
    Step(
        "The fixed script",
        f"python {HERE}/fixed.py",
        0,
        "One `[..., 0]` later the same model explains more than a third of the variance.",
    ),
)

if __name__ == "__main__":
    sys.exit(walk(STEPS))
