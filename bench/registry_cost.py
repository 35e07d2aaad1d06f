# SPDX-License-Identifier: Apache-2.0
"""What looking rules up costs a type checker: the modules of rules that it has to import.

Each round is a new process, as mypy is one; what pip compiles is compiled. The best round counts:
whatever else the machine does only adds to it. Run it as `make bench`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# In ms, for the families of torch, NumPy and einops: no program uses all of TensorFlow besides.
ROUNDS, BUDGET = 9, 60
FOLDERS = [str(Path(__file__).resolve().parent.parent / name) for name in ("", "mypy_plugin")]
# The ops of a file with a block of a transformer and its loss.
ORDINARY = (
    *("torch.nn.Linear", "torch.nn.LayerNorm", "torch.nn.Dropout", "torch.nn.functional.softmax"),
    *("torch.Tensor.view", "torch.Tensor.transpose", "torch.Tensor.__matmul__"),
    *("torch.Tensor.__add__", "torch.Tensor.masked_fill", "torch.nn.functional.cross_entropy"),
)
PROBE = f"""\
import time
from importlib import import_module
import typedtensors.ops as ops
from typedtensors.ops.registry import modules
def cost(look_up):
    before = time.process_time()
    look_up()
    print(1000 * (time.process_time() - before))
cost(lambda: ops.lookup("torch.nn.Linear"))
cost(lambda: [ops.lookup(name) for name in {ORDINARY}])
within = "typedtensors.ops.families."
others = [name for name in modules() if not name.startswith(("tensorflow", "keras"))]
cost(lambda: [import_module(within + name) for name in others])
cost(ops.rules)
"""


def measure() -> list[float]:
    """Return the cost of a first look-up and, each after the last, of a file, of torch, of all."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = os.pathsep.join(FOLDERS)
    command = [sys.executable, "-c", PROBE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


def main() -> int:
    """Print the costs; the exit status is 1 if those of torch are over the budget."""
    measure()  # compiles
    rounds = [measure() for _ in range(ROUNDS)]
    first, file, torch, others = map(min, zip(*rounds, strict=True))
    print(f"rules of ops, CPU in a new process, best of {ROUNDS}:")
    print(f"  the first look-up {first:.1f} ms; those of an ordinary file {first + file:.1f} ms")
    torch += first + file
    print(f"  all of torch, NumPy and einops {torch:.0f} ms, budget {BUDGET} ms")
    print(f"  with TensorFlow and Keras {torch + others:.0f} ms")
    return int(torch > BUDGET)


if __name__ == "__main__":
    sys.exit(main())
