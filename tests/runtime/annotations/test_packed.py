# SPDX-License-Identifier: Apache-2.0
"""`*args` and `**kwargs` whose annotation says what all of them are."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from typing_extensions import TypedDict, TypeVarTuple, Unpack

from typedtensors import TensorCheckError, typechecked

f = torch.zeros
Ts = TypeVarTuple("Ts")


class Options(TypedDict, total=False):
    x: Float[Tensor, "n d"]
    weight: Float[Tensor, "d"]
    name: str


@typechecked
def by_name(bias: Float[Tensor, "d"], **options: Unpack[Options]) -> None: ...


@typechecked
def in_order(*parts: Unpack[tuple[Float[Tensor, "n"], int]]) -> None: ...


@typechecked
def all_alike(*parts: Unpack[tuple[Float[Tensor, "n"], ...]]) -> None: ...


@typechecked
def of_any_kind(*parts: Unpack[Ts]) -> None: ...


@typechecked(only="arrays")
def arrays_only(**options: Unpack[Options]) -> None: ...


@pytest.mark.parametrize(
    ("function", "args", "options"),
    [
        (by_name, (f(3),), {"x": f(2, 3), "weight": f(3), "name": "a"}),
        (by_name, (f(3),), {}),
        (by_name, (f(3),), {"unknown": 1}),
        (in_order, (f(3), 4), {}),
        (all_alike, (f(3), f(3)), {}),
        (all_alike, (), {}),
        (of_any_kind, (f(3), "a"), {}),
        (arrays_only, (), {"x": f(2, 3), "name": 4}),
    ],
)
def test_what_fits_passes(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    function(*args, **options)


@pytest.mark.parametrize(
    ("function", "args", "options", "named"),
    [
        (by_name, (f(3),), {"x": f(2, 4)}, "options['x']"),
        (by_name, (f(3),), {"x": f(2, 3), "weight": f(4)}, "options['weight']"),
        (in_order, (f(3, 3), 4), {}, "parts[0]"),
        (in_order, (f(3),), {}, "parts"),
        (all_alike, (f(3), f(4)), {}, "parts[1]"),
        (arrays_only, (), {"x": f(2)}, "options['x']"),
    ],
)
def test_what_does_not_fit_is_named(
    function: Any, args: tuple[Any, ...], options: dict[str, Any], named: str
) -> None:
    with pytest.raises(TensorCheckError) as caught:
        function(*args, **options)
    assert named in str(caught.value)
