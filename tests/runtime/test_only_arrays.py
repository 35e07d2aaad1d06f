# SPDX-License-Identifier: Apache-2.0
"""With `only="arrays"` nothing is said of other values."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from typedtensors import TensorCheckError, typechecked

f = torch.zeros
arrays = typechecked(only="arrays")


@arrays
def use(
    x: Float[Tensor, "n"], k: int = 3, xs: list[Float[Tensor, "n"]] | None = None
) -> Float[Tensor, "n"] | str:
    return x if k == 3 else "text"


@pytest.mark.parametrize(
    "args",
    [
        pytest.param((f(3), "4"), id="another type"),
        pytest.param((None, 4), id="no array"),
        pytest.param((f(3), 4, (f(3),)), id="another container"),
        pytest.param((f(3), 4, [None, 1]), id="no arrays in a container"),
    ],
)
def test_values_that_are_no_arrays_are_passed_over(args: Any) -> None:
    use(*args)


@pytest.mark.parametrize(
    "args",
    [
        pytest.param((f(3, 3),), id="shape"),
        pytest.param((f(3).long(),), id="dtype"),
        pytest.param((np.zeros(3),), id="other framework"),
        pytest.param((f(3), "4", [f(3), f(4)]), id="in a container"),
    ],
)
def test_arrays_are_checked(args: Any) -> None:
    with pytest.raises(TensorCheckError):
        use(*args)


def test_results_are_checked_as_far_as_they_are_arrays() -> None:
    @arrays
    async def fetch(x: Any) -> Float[Tensor, "n"]:
        return x  # type: ignore[no-any-return]

    @arrays
    def rows(x: Any) -> Iterator[Float[Tensor, "n"]]:
        yield x

    assert asyncio.run(fetch("text")) == next(iter(rows("text"))) == "text"
    for call in (lambda: asyncio.run(fetch(f(2, 2))), lambda: list(rows(f(2, 2)))):
        with pytest.raises(TensorCheckError):
            call()


def test_it_holds_for_classes_and_after_pickling() -> None:
    @arrays
    class Model:
        def run(self, x: Float[Tensor, "n"], k: int) -> None: ...

    for run in (Model().run, pickle.loads(cloudpickle.dumps(Model))().run):  # noqa: S301
        run(f(3), "3")
        with pytest.raises(TensorCheckError):
            run(f(3, 3), "3")


def test_an_unknown_option_is_an_error() -> None:
    with pytest.raises(ValueError, match='there is only="arrays"'):
        typechecked(only="shapes")  # type: ignore[call-overload]
