# SPDX-License-Identifier: Apache-2.0
"""What a guard costs: a guarded against an unguarded training step, interleaved in one run.

The step is that of a small transformer (width 64), where Python's share of the time is large.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext

import torch
from torch import nn

from typedtensors.guard import guard

WIDTH, HEADS, LAYERS, BATCH, STEPS = 64, 4, 2, 16, 32
ROUNDS, WARM_UP = 60, 10


def training_step() -> Callable[[], None]:
    """One step of a transformer that predicts the next token, with AdamW."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True)
    embed, head = nn.Embedding(100, WIDTH), nn.Linear(WIDTH, 100)
    body = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    position = nn.Parameter(torch.zeros(STEPS, WIDTH))
    parameters = [*embed.parameters(), *body.parameters(), *head.parameters(), position]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    tokens = torch.randint(0, 100, (BATCH, STEPS))
    mask = nn.Transformer.generate_square_subsequent_mask(STEPS)

    def step() -> None:
        optimizer.zero_grad()
        hidden = body(embed(tokens) + position, mask=mask, is_causal=True)
        loss = nn.functional.cross_entropy(head(hidden).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()

    return step


def milliseconds(step: Callable[[], None], *, guarded: bool) -> float:
    """The processor time of one step; entering the guard is not counted."""
    with guard("suspicious") if guarded else nullcontext():
        start = time.process_time()
        step()
        return 1e3 * (time.process_time() - start)


def main() -> None:
    """Print the median times and their ratio."""
    torch.set_num_threads(1)
    step = training_step()
    times: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(ROUNDS + WARM_UP):
        for guarded in (False, True) if turn % 2 else (True, False):
            spent = milliseconds(step, guarded=guarded)
            if turn >= WARM_UP:
                times[guarded].append(spent)
    # The fastest steps: what slows a step down is other work of the machine.
    plain, watched = min(times[False]), min(times[True])
    print(f"transformer D{WIDTH}, one training step on a CPU, fastest of {ROUNDS}")
    print(f"  unguarded {plain:7.2f} ms")
    print(f"  guarded   {watched:7.2f} ms   {watched / plain:.3f}x (budget 1.15x)")


if __name__ == "__main__":
    main()
