# SPDX-License-Identifier: Apache-2.0
"""Threads and tasks never see the sizes of each other, and calls leave nothing behind."""

from __future__ import annotations

import asyncio
import functools
import gc
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtensors import TensorCheckError, matches, typechecked

f = torch.zeros
COUNTS = [pytest.param(100, id="short"), pytest.param(10_000, id="long", marks=pytest.mark.slow)]


@typechecked
def plain(x: Float[Tensor, "n"], y: Float[Tensor, "n m"]) -> Float[Tensor, "m"]:
    return y[0] if matches(x, Float[Tensor, "n"]) else x


@typechecked
def rows(x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d"]]:
    yield from x


@typechecked
async def pause(x: Float[Tensor, "n"], y: Float[Tensor, "n m"]) -> Float[Tensor, "m"]:
    await asyncio.sleep(0)
    assert matches(f(y.shape[1]), Float[Tensor, "m"])
    assert not matches(f(len(x) + 1), Float[Tensor, "n"])
    return plain(x, y)


@typechecked
async def step(x: Float[Tensor, "n"], y: Float[Tensor, "n m"]) -> Float[Tensor, "m"]:
    await asyncio.sleep(0)
    return y[0]


@typechecked
async def stream(x: Float[Tensor, "n d"]) -> AsyncIterator[Float[Tensor, "d"]]:
    for row in x:
        await asyncio.sleep(0)
        yield row


def use(size: int, count: int) -> int:
    """Call with sizes of one's own; return how many verdicts were wrong."""
    x, y, bad, wrong = f(size), f(size, size + 1), f(size + 1), 0
    every = max(1, count // 50)
    for turn in range(count):
        plain(x, y)
        if turn % every == 0:
            wrong += len(list(rows(y))) != size
            try:
                plain(bad, y)
            except TensorCheckError:
                continue
            wrong += 1
    return wrong


@pytest.mark.parametrize("count", COUNTS)
def test_eight_threads_never_mix(count: int) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(functools.partial(use, count=count), range(2, 10))) == 0


@pytest.mark.parametrize("count", COUNTS)
def test_a_hundred_tasks_never_mix(count: int) -> None:
    async def run(size: int) -> int:
        x, y = f(size), f(size, size + 1)
        for turn in range(count):
            await (step(x, y) if turn % 50 else pause(x, y))
        return len([row async for row in stream(y)])

    async def main() -> list[int]:
        return await asyncio.gather(*(run(size) for size in range(2, 102)))

    assert asyncio.run(main()) == list(range(2, 102))


def test_a_task_goes_on_in_another_thread() -> None:
    """Its bindings belong to the call, not to the thread that it began in."""
    steps: Any = pause(f(3), f(3, 4)).__await__()
    next(steps)
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="StopIteration"):
        pool.submit(lambda: list(_finish(steps))).result()


def _finish(steps: Any) -> Iterator[Any]:
    yield next(steps)


def grown(call: Callable[[], Any], count: int) -> int:
    """Return by how much many calls make the memory of Python grow."""
    for _ in range(100):
        call()
    gc.collect()
    tracemalloc.start()
    call()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(count):
        call()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before


@pytest.mark.parametrize(
    "count",
    [pytest.param(2_000, id="short"), pytest.param(10**6, id="long", marks=pytest.mark.slow)],
)
def test_memory_stays_flat(count: int) -> None:
    @typechecked
    def first(x: Float[Tensor, "n"], y: Float[Tensor, "n m"]) -> Float[Tensor, "m"]:
        return y[0]

    x, y = f(3), f(3, 4)
    assert grown(lambda: first(x, y), count) < 1024


def test_memory_stays_flat_where_calls_fail_and_functions_come_and_go() -> None:
    def fail() -> None:
        with pytest.raises(TensorCheckError):
            plain(f(3), f(4, 3))

    def define() -> None:
        @typechecked
        def local(x: Float[Tensor, "n"]) -> None: ...

        local(f(2))

    # Each `Float[...]` in a body is a class: what Python keeps of those comes and goes.
    x, y = f(3), f(3, 4)
    for call in (fail, define, lambda: plain(x, y)):
        # A table that happens to be enlarged grows once, and what is kept of calls each time.
        assert min(grown(call, 100) for _ in range(3)) < 16_384
