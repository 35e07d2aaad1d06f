# SPDX-License-Identifier: Apache-2.0
"""What the plugin adds to a warm run of mypy: CPU time after an edit of a dense, annotated file.

Each round edits the file and runs mypy twice, without and with the plugin, each over a cache of
its own in which torch is already checked. Run it as `make bench`.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

LINES, ROUNDS, BUDGET = 1_000, 9, 1.5

HEADER = """\
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

"""
BLOCKS = (
    """\

def attention_{n}(
    q: Float[Tensor, "batch seq d"],
    k: Float[Tensor, "batch kv d"],
    v: Float[Tensor, "batch kv d"],
    mask: Bool[Tensor, "batch seq kv"],
) -> Float[Tensor, "batch seq d"]:
    scores = q @ k.transpose(1, 2) * 0.125
    scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    weights = torch.softmax(scores, dim=-1)
    assert weights.shape[0] == q.shape[0]
    return weights @ v

""",
    """\

class Block{n}(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Float[Tensor, "batch seq width"]) -> Float[Tensor, "batch seq width"]:
        hidden = F.relu(self.up(self.norm(x)))
        residual = self.down(hidden)
        return x + residual

""",
    """\

def normalize_{n}(x: Float[Tensor, "n d"], eps: float) -> Float[Tensor, "n d"]:
    mean = x.mean(dim=-1, keepdim=True)
    centered = x - mean
    variance = (centered**2).mean(dim=-1, keepdim=True)
    scaled = centered / torch.sqrt(variance + eps)
    if eps > 0.5:
        scaled = scaled.reshape(x.shape[0], x.shape[1])
    return scaled


def loss_{n}(
    pred: Float[Tensor, "n 1"], target: Float[Tensor, "n"], index: Int[Tensor, "k"]
) -> Float[Tensor, ""]:
    error = pred.squeeze(-1) - target
    picked = error[index]
    total = torch.zeros(())
    for _ in range(3):
        total = total + picked.abs().mean()
    return total + (error**2).mean()

""",
)
MISTAKE = """\

def planted(pred: Float[Tensor, "n 1"], target: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return ((pred - target) ** 2).mean()
"""


def program() -> str:
    """Write the file: as many whole blocks as fit."""
    lines = HEADER.splitlines()
    for block in _blocks():
        if len(lines) + len(block) > LINES:
            break
        lines += block
    return "\n".join([*lines, ""])


def _blocks() -> Iterator[list[str]]:
    for number in count():
        yield BLOCKS[number % len(BLOCKS)].format(n=number).splitlines()


def run_mypy(folder: Path, name: str) -> tuple[float, str]:
    """Run mypy with the configuration `name`; return its user CPU time and its output."""
    command = [sys.executable, "-m", "mypy", "--config-file", f"{name}.ini", "dense.py"]
    # What pip installs is compiled once; so is what is measured here.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    cost = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode == 2:
        sys.exit(f"mypy could not check:\n{done.stdout}{done.stderr}")
    return cost, done.stdout


def prepare(folder: Path, source: str) -> None:
    """Write both configurations, prime both caches, and see that only the plugin finds the bug."""
    for name, plugins in (("plain", ""), ("plugin", "plugins = typedtensors_mypy\n")):
        settings = f"[mypy]\ncache_dir = cache_{name}\n{plugins}"
        (folder / f"{name}.ini").write_text(settings)
        for text, expected in ((source, False), (source + MISTAKE, name == "plugin")):
            (folder / "dense.py").write_text(text)
            _, output = run_mypy(folder, name)
            if ("[tensor-" in output) != expected:
                sys.exit(f"not a fair file, with the {name} configuration:\n{output}")


def measure(folder: Path, source: str) -> Iterator[tuple[float, float]]:
    """Yield the cost without and with the plugin, one edit after the other."""
    for edit in count():
        (folder / "dense.py").write_text(f"{source}\nedits = {edit}\n")
        yield run_mypy(folder, "plain")[0], run_mypy(folder, "plugin")[0]


def main() -> int:
    """Print the costs and their ratio; the exit status is 1 if it is over the budget."""
    source = program()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, source)
        pairs = list(islice(measure(folder, source), ROUNDS))
    plain, plugin = (statistics.median(costs) for costs in zip(*pairs, strict=True))
    ratio = statistics.median(with_it / without for without, with_it in pairs)
    print(f"warm edit of {source.count(chr(10))} annotated lines, CPU, median of {ROUNDS} pairs:")
    print(f"  mypy {plain:.2f} s, with the plugin {plugin:.2f} s")
    print(f"  ratio {ratio:.2f}, budget {BUDGET}")
    return int(ratio > BUDGET)


if __name__ == "__main__":
    sys.exit(main())
