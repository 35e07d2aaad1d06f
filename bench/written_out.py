# SPDX-License-Identifier: Apache-2.0
"""What it costs to write broadcasts out: views by name against views by position and none."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

from typedtensors import align

ROUNDS = 30
Step = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def by_position(x: Tensor, bias: Tensor, scale: Tensor, hidden: Tensor) -> Tensor:
    """As it is usually written."""
    x = (x + bias) * scale[:, None, None]
    return x.masked_fill(hidden[:, :, None], 0.0)


def by_name(x: Tensor, bias: Tensor, scale: Tensor, hidden: Tensor) -> Tensor:
    """As the level `explicit` wants it."""
    x = x + align(bias, "d", to="batch seq d")
    x = x * align(scale, "batch", to="batch seq d")
    return x.masked_fill(align(hidden, "batch seq", to="batch seq d"), 0.0)


def allocated(step: Step, operands: tuple[Tensor, Tensor, Tensor, Tensor]) -> float:
    """The megabytes that a step asks for."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        step(*operands)
    return sum(max(0, each.self_cpu_memory_usage) for each in seen.key_averages()) / 1e6


def main() -> None:
    """Print the fastest times and the memory, and their ratios."""
    torch.set_num_threads(1)
    operands = torch.rand(64, 512, 256), torch.rand(256), torch.rand(64), torch.rand(64, 512) > 0.5
    times: dict[Step, list[float]] = {by_position: [], by_name: []}
    for turn in range(ROUNDS):
        for step in (by_position, by_name) if turn % 2 else (by_name, by_position):
            start = time.process_time()
            step(*operands)
            times[step].append(1e3 * (time.process_time() - start))
    plain, named = min(times[by_position]), min(times[by_name])
    print(f"broadcasts written out, fastest of {ROUNDS}")
    print(f"  by position {plain:7.2f} ms")
    print(f"  by name     {named:7.2f} ms   {named / plain:.3f}x (budget 1.05x)")
    needs, names = allocated(by_position, operands), allocated(by_name, operands)
    print(f"  by position {needs:7.2f} MB")
    print(f"  by name     {names:7.2f} MB   {names / needs:.3f}x (budget 1.00x)")


if __name__ == "__main__":
    main()
