# SPDX-License-Identifier: Apache-2.0
"""What a guard costs: a guarded against an unguarded training step, interleaved in one run.

The steps are those of a small transformer (width 64) and of a smaller network, where Python's
share of the time is large; a compiled step; and a step under a guard that is off.

Beside each ratio stands that of the unguarded step to itself, measured in the same way in the same
run: a step that costs what it cost is one whose ratio differs from 1 by no more than that.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import cycle, permutations

import torch
from torch import nn

from typedtensors.guard import guard

WIDTH, HEADS, LAYERS, BATCH, STEPS = 64, 4, 2, 16, 32
ROUNDS, WARM_UP = 60, 5
Step = Callable[[], None]


@dataclass(frozen=True)
class Row:
    """A step, the guard it is measured under, and the ratio that is allowed."""

    name: str
    make: Callable[[], Step]
    budget: float
    level: str = "suspicious"
    repeat: int = 1


def transformer(*, compiled: bool = False) -> Step:
    """A transformer that predicts the next token, with AdamW."""
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True)
    embed, head = nn.Embedding(100, WIDTH), nn.Linear(WIDTH, 100)
    body = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    position = nn.Parameter(torch.zeros(STEPS, WIDTH))
    parameters = [*embed.parameters(), *body.parameters(), *head.parameters(), position]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    tokens = torch.randint(0, 100, (BATCH, STEPS))
    mask = nn.Transformer.generate_square_subsequent_mask(STEPS)

    def loss_of(tokens: torch.Tensor) -> torch.Tensor:
        hidden = body(embed(tokens) + position, mask=mask, is_causal=True)
        return nn.functional.cross_entropy(head(hidden).flatten(0, 1), tokens.flatten())

    loss = torch.compile(loss_of) if compiled else loss_of

    def step() -> None:
        optimizer.zero_grad()
        loss(tokens).backward()
        optimizer.step()

    return step


def compiled_transformer() -> Step:
    """The same, its loss compiled."""
    return transformer(compiled=True)


def perceptron() -> Step:
    """Three layers over rows of numbers, with SGD."""
    net = nn.Sequential(
        nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
    )
    x, y = torch.randn(32, 20), torch.randn(32, 1)

    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)

    def step() -> None:
        optimizer.zero_grad()
        (net(x) - y).square().mean().backward()
        optimizer.step()

    return step


ROWS = (
    Row(f"transformer D{WIDTH}", transformer, 1.15),
    Row("3 layers", perceptron, 1.4, repeat=50),
    Row("transformer, compiled", compiled_transformer, 1.0, repeat=5),
    Row("3 layers, guard off", perceptron, 1.0, level="allow", repeat=50),
)


@dataclass(frozen=True)
class Seen:
    """The milliseconds of a step: unguarded, unguarded once more, and guarded."""

    plain: float
    again: float
    guarded: float


def milliseconds(step: Step, around: AbstractContextManager[object], repeat: int) -> float:
    """The processor time of one step; entering the guard is not counted."""
    with around:
        start = time.process_time()
        for _ in range(repeat):
            step()
        return 1e3 * (time.process_time() - start) / repeat


def measure(row: Row) -> Seen:
    """Each kind of step in turns, in every order, so that none has a place of its own."""
    torch.manual_seed(0)
    step = row.make()
    kinds: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "plain": nullcontext,
        "again": nullcontext,
        "guarded": lambda: guard(row.level),
    }
    spent: dict[str, list[float]] = {kind: [] for kind in kinds}
    orders = cycle(permutations(kinds))
    for turn in range(ROUNDS + WARM_UP):
        for kind in next(orders):
            time_of_one = milliseconds(step, kinds[kind](), row.repeat)
            if turn >= WARM_UP:
                spent[kind].append(time_of_one)
    return Seen(**{kind: fastest(times) for kind, times in spent.items()})


def fastest(times: list[float]) -> float:
    """The mean of the fastest quarter: what slows a step down is other work of the machine."""
    return statistics.fmean(sorted(times)[: len(times) // 4])


def main() -> None:
    """Print the times and their ratios."""
    torch.set_num_threads(1)
    print(f"one training step on a CPU, fastest quarter of {ROUNDS}, in milliseconds")
    print(f"{'':22} unguarded  guarded   ratio  itself  budget")
    for row in ROWS:
        seen = measure(row)
        ratio, itself = seen.guarded / seen.plain, seen.again / seen.plain
        print(
            f"{row.name:22} {seen.plain:9.3f} {seen.guarded:8.3f}"
            f" {ratio:7.3f} {itself:7.3f} {row.budget:7.2f}"
        )


if __name__ == "__main__":
    main()
