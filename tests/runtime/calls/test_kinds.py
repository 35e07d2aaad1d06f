# SPDX-License-Identifier: Apache-2.0
"""Coroutines and generators are checked, keep their bindings, and stay what they are."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtensors import TensorCheckError, check, typechecked

f = torch.zeros
run = asyncio.run


@typechecked
async def fetch(x: Float[Tensor, "n"], k: int = 0) -> Float[Tensor, "n"]:
    await asyncio.sleep(0)
    check(f(len(x), 2), Float[Tensor, "n two"])
    return f(len(x) + k)


def test_a_coroutine_function_is_one_and_its_result_is_checked() -> None:
    assert inspect.iscoroutinefunction(fetch)
    assert run(fetch(f(3))).shape == (3,)
    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        run(fetch(f(3), 1))
    with pytest.raises(TensorCheckError, match="1 axis"):
        run(fetch(f(3, 3)))


def test_tasks_do_not_see_the_bindings_of_each_other() -> None:
    async def main() -> list[Any]:
        return await asyncio.gather(*(fetch(f(n)) for n in (2, 3, 4)))

    assert [len(x) for x in run(main())] == [2, 3, 4]


def test_bindings_survive_an_await() -> None:
    @typechecked
    async def wait(x: Float[Tensor, "n"]) -> None:
        await asyncio.sleep(0)
        check(f(len(x) + 1), Float[Tensor, "n"])

    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        run(wait(f(3)))


def test_a_coroutine_can_be_cancelled() -> None:
    log = []

    @typechecked
    async def wait(x: Float[Tensor, "n"]) -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    async def main() -> None:
        task = asyncio.create_task(wait(f(1)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert log == ["cancelled"]


@typechecked
def windows(x: Float[Tensor, "n d"], bad: int = -1) -> Generator[Float[Tensor, "k d"], str, int]:
    seen = 0
    for index in range(len(x)):
        if index == bad:
            yield x[:, :-1]
        try:
            seen += (yield x[: index + 1]) == "count"
        except KeyError:
            seen += 10
    return seen


def test_each_yielded_value_is_checked_and_names_its_own_dims() -> None:
    assert inspect.isgeneratorfunction(windows)
    assert [len(x) for x in windows(f(3, 2))] == [1, 2, 3]
    with pytest.raises(TensorCheckError, match="dim `d` disagrees") as caught:
        list(windows(f(3, 2), bad=1))
    assert caught.value.argument == "yield"


def test_a_generator_can_be_sent_to_and_thrown_at_and_returns() -> None:
    steps = windows(f(2, 2))
    next(steps)
    steps.send("count")
    with pytest.raises(StopIteration) as stopped:
        steps.throw(KeyError())
    assert stopped.value.value == 11


def test_a_generator_can_be_closed() -> None:
    log = []

    @typechecked
    def opened(x: Float[Tensor, "n"]) -> Iterator[int]:
        try:
            yield 1
        finally:
            log.append("closed")

    steps = opened(f(1))
    next(steps)
    assert isinstance(steps, Generator)
    steps.close()
    assert log == ["closed"]


def test_what_a_generator_returns_is_checked() -> None:
    @typechecked
    def last(x: Float[Tensor, "n"]) -> Generator[int, None, Float[Tensor, "n"]]:
        yield 1
        return x[1:]

    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        list(last(f(3)))


def test_interleaved_generators_keep_their_bindings_apart() -> None:
    pairs = zip(windows(f(3, 2)), windows(f(3, 5)), strict=True)
    assert [(a.shape[1], b.shape[1]) for a, b in pairs] == [(2, 5)] * 3


@typechecked
async def stream(x: Float[Tensor, "n d"], bad: int = -1) -> AsyncIterator[Float[Tensor, "d"]]:
    for index, row in enumerate(x):
        await asyncio.sleep(0)
        yield row[:-1] if index == bad else row


def test_an_async_generator_is_one_and_its_values_are_checked() -> None:
    async def collect(source: AsyncIterator[Any]) -> int:
        return len([row async for row in source])

    assert inspect.isasyncgenfunction(stream)
    assert run(collect(stream(f(3, 2)))) == 3
    with pytest.raises(TensorCheckError, match="dim `d` disagrees"):
        run(collect(stream(f(3, 2), bad=1)))


def test_an_async_generator_can_be_sent_to_thrown_at_and_closed() -> None:
    log: list[Any] = []

    @typechecked
    async def echo(x: Float[Tensor, "n"]) -> AsyncIterator[int]:
        try:
            try:
                log.append((yield 1))
            except KeyError:
                log.append("caught")
            yield 2
        finally:
            log.append("closed")

    async def main() -> None:
        source: Any = echo(f(1))
        await source.asend(None)
        assert await source.athrow(KeyError()) == 2
        await source.aclose()
        source = echo(f(1))
        await source.asend(None)
        assert await source.asend("sent") == 2
        await source.aclose()

    run(main())
    assert log == ["caught", "closed", "sent", "closed"]


def test_a_context_manager_is_not_taken_for_its_generator() -> None:
    @typechecked
    @contextlib.contextmanager
    def opened(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n"]]:
        yield x

    with opened(f(3)) as x:
        assert x.shape == (3,)
    with pytest.raises(TensorCheckError):
        opened(f(3, 3))


def test_a_generator_inside_a_context_manager_is_checked() -> None:
    @contextlib.contextmanager
    @typechecked
    def opened(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n"]]:
        yield x[1:]

    with pytest.raises(TensorCheckError), opened(f(3)):
        pass
