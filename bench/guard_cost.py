# SPDX-License-Identifier: Apache-2.0
"""What a guard costs: a guarded against an unguarded training step, interleaved in one run.

The steps are those of a small transformer (width 64) and of a smaller network, where Python's
share of the time is large; a compiled step; and a step under a guard that is off.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import nn

from typedtensors.guard import guard

WIDTH, HEADS, LAYERS, BATCH, STEPS = 64, 4, 2, 16, 32
ROUNDS, WARM_UP = 40, 5
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
    # Several steps: the first one under another guard than before looks for its compiled code.
    Row("transformer, compiled", compiled_transformer, 1.02, repeat=5),
    Row("3 layers, guard off", perceptron, 1.02, level="allow", repeat=50),
)


def milliseconds(step: Step, around: AbstractContextManager[object], repeat: int) -> float:
    """The processor time of one step; entering the guard is not counted."""
    with around:
        start = time.process_time()
        for _ in range(repeat):
            step()
        return 1e3 * (time.process_time() - start) / repeat


def measure(row: Row) -> tuple[float, float]:
    """The fastest unguarded and guarded step: what slows one down is other work of the machine."""
    torch.manual_seed(0)
    step = row.make()
    plain, watched = [], []
    for turn in range(ROUNDS + WARM_UP):
        spent = {}
        for guarded in (False, True) if turn % 2 else (True, False):
            around = guard(row.level) if guarded else nullcontext()
            spent[guarded] = milliseconds(step, around, row.repeat)
        if turn >= WARM_UP:
            plain.append(spent[False])
            watched.append(spent[True])
    return min(plain), min(watched)


def main() -> None:
    """Print the times and their ratios."""
    torch.set_num_threads(1)
    print(f"one training step on a CPU, fastest of {ROUNDS}, in milliseconds")
    print(f"{'':22} unguarded  guarded   ratio  budget")
    for row in ROWS:
        plain, watched = measure(row)
        ratio = watched / plain
        print(f"{row.name:22} {plain:9.3f} {watched:8.3f} {ratio:7.3f} {row.budget:7.2f}")


if __name__ == "__main__":
    main()
