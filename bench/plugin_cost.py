# SPDX-License-Identifier: Apache-2.0
"""What the plugin adds to a warm run of mypy: CPU time and memory after an edit of a dense file.

Each round edits the file and runs mypy twice, without and with the plugin, each over a cache of
its own in which torch is already checked. So for a file of 1,000 annotated lines, and for one of
10,000. Run it as `make bench`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from operator import attrgetter
from pathlib import Path

LINES, ROUNDS, BUDGET = 1_000, 9, 1.5
# Ten times the lines may take that many times as long.
MANY_LINES, FEW_ROUNDS, MOST_GROWTH = 10_000, 3, 11

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


@dataclass(frozen=True)
class Run:
    """One run of mypy: its user CPU time in seconds, its most memory in MB, and its output."""

    seconds: float
    memory: float
    output: str


def program(length: int) -> str:
    """Write the file: as many whole blocks as fit."""
    lines = HEADER.splitlines()
    for block in _blocks():
        if len(lines) + len(block) > length:
            break
        lines += block
    return "\n".join([*lines, ""])


def _blocks() -> Iterator[list[str]]:
    for number in count():
        yield BLOCKS[number % len(BLOCKS)].format(n=number).splitlines()


def run_mypy(folder: Path, name: str) -> Run:
    """Run mypy with the configuration `name`."""
    command = [sys.executable, "-m", "mypy", "--config-file", f"{name}.ini", "dense.py"]
    # What pip installs is compiled once; so is what is measured here.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with (folder / "output").open("w+") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=output
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read()
    if process.returncode == 2:
        sys.exit(f"mypy could not check:\n{said}")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Run(used.ru_utime, used.ru_maxrss / unit, said)


def prepare(folder: Path, source: str) -> None:
    """Write both configurations, prime both caches, and see that only the plugin finds the bug."""
    for name, plugins in (("plain", ""), ("plugin", "plugins = typedtensors_mypy\n")):
        settings = f"[mypy]\ncache_dir = cache_{name}\n{plugins}"
        (folder / f"{name}.ini").write_text(settings)
        for text, expected in ((source, False), (source + MISTAKE, name == "plugin")):
            (folder / "dense.py").write_text(text)
            output = run_mypy(folder, name).output
            if ("[tensor-" in output) != expected:
                sys.exit(f"not a fair file, with the {name} configuration:\n{output}")


Pair = tuple[Run, Run]
_seconds, _memory = attrgetter("seconds"), attrgetter("memory")


def measure(folder: Path, source: str) -> Iterator[Pair]:
    """Yield a run without and a run with the plugin, one edit after the other."""
    for edit in count():
        (folder / "dense.py").write_text(f"{source}\nedits = {edit}\n")
        yield run_mypy(folder, "plain"), run_mypy(folder, "plugin")


def report(source: str, pairs: Sequence[Pair]) -> tuple[float, float]:
    """Print what a file costs; return the plugin's seconds, and the median of the ratios."""
    without, with_it = zip(*pairs, strict=True)
    seconds = [statistics.median(map(_seconds, runs)) for runs in (without, with_it)]
    memory = [statistics.median(map(_memory, runs)) for runs in (without, with_it)]
    ratio = statistics.median(plugin.seconds / plain.seconds for plain, plugin in pairs)
    lines = source.count("\n")
    print(f"warm edit of {lines} annotated lines, CPU, median of {len(pairs)} pairs:")
    print(f"  mypy {seconds[0]:.2f} s, with the plugin {seconds[1]:.2f} s, ratio {ratio:.2f}")
    print(f"  memory: mypy {memory[0]:.0f} MB, with the plugin {memory[1]:.0f} MB")
    return seconds[1], ratio


def main() -> int:
    """Print the costs and their ratios; the exit status is 1 if one is over its budget."""
    with tempfile.TemporaryDirectory() as name:
        folder, source = Path(name), program(LINES)
        prepare(folder, source)
        seconds, ratio = report(source, list(islice(measure(folder, source), ROUNDS)))
        source = program(MANY_LINES)
        more, _ = report(source, list(islice(measure(folder, source), FEW_ROUNDS)))
    growth = more / seconds
    print(f"ratio {ratio:.2f}, budget {BUDGET}")
    print(f"{MANY_LINES} lines: {growth:.1f} times as long, budget {MOST_GROWTH}")
    return int(ratio > BUDGET or growth > MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
