# SPDX-License-Identifier: Apache-2.0
"""With `TYPEDTENSORS=once` a function is checked until a call has passed."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtensors import TensorCheckError, check, typechecked

f = torch.zeros


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "once")


def plain(x: Float[Tensor, "n n"]) -> Float[Tensor, "n"]:
    return x[0]


def nothing(x: Float[Tensor, "n n"]):  # type: ignore[no-untyped-def]  # noqa: ANN201
    return x


async def coroutine(x: Float[Tensor, "n n"]) -> Float[Tensor, "n"]:
    return x[0]


def generator(x: Float[Tensor, "n n"]) -> Iterator[Float[Tensor, "n"]]:
    yield x[0]


async def async_generator(x: Float[Tensor, "n n"]) -> AsyncIterator[Float[Tensor, "n"]]:
    yield x[0]


async def collect(source: Any) -> Any:
    return [item async for item in source]


@pytest.mark.parametrize(
    ("function", "call"),
    [
        pytest.param(plain, lambda fn, x: fn(x), id="plain"),
        pytest.param(nothing, lambda fn, x: fn(x), id="without a result"),
        pytest.param(coroutine, lambda fn, x: asyncio.run(fn(x)), id="coroutine"),
        pytest.param(generator, lambda fn, x: list(fn(x)), id="generator"),
        pytest.param(
            async_generator, lambda fn, x: asyncio.run(collect(fn(x))), id="async generator"
        ),
    ],
)
def test_a_function_is_checked_until_a_call_has_passed(
    function: Any, call: Callable[..., Any]
) -> None:
    checked = typechecked(function)
    for _ in range(2):
        with pytest.raises(TensorCheckError):
            call(checked, f(2, 3))
    call(checked, f(2, 2))
    call(checked, f(2, 3))


def test_a_result_that_does_not_fit_is_no_pass() -> None:
    results = [f(2), f(3)]

    @typechecked
    def take(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return results.pop()

    for x in (f(2), f(3)):
        with pytest.raises(TensorCheckError):
            take(x)


def test_the_body_still_knows_the_sizes_of_its_call() -> None:
    @typechecked
    def encode(x: Float[Tensor, "n"], k: int) -> Any:
        return check(f(k, len(x) + 1), Float[Tensor, "{k} n+1"])

    for size in (2, 3, 4):
        assert encode(f(size), size).shape == (size, size + 1)
    with pytest.raises(TensorCheckError):
        typechecked(encode.__wrapped__)(f(3), f(3))  # type: ignore[attr-defined]


def test_it_pickles_by_value() -> None:
    def local(x: Float[Tensor, "n n"]) -> None: ...

    loaded = pickle.loads(cloudpickle.dumps(typechecked(local)))  # noqa: S301
    with pytest.raises(TensorCheckError):
        loaded(f(2, 3))
    loaded(f(2, 2))
    loaded(f(2, 3))


def test_an_unknown_mode_is_said_and_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "onec")
    with pytest.warns(UserWarning, match="onec is none of: off, once, always"):
        checked = typechecked(plain)
    for _ in range(2):
        with pytest.raises(TensorCheckError):
            checked(f(2, 3))
