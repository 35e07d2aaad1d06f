# SPDX-License-Identifier: Apache-2.0
"""Tensors that are not plain ones are checked by the shape that they show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from jaxtyping import Float, Shaped
from torch import Tensor, distributed

from typedtensors import TensorCheckError, typechecked

f = torch.zeros
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:torch", "ignore:.*(nested|CSR|quant)")


@typechecked
def same(x: Shaped[Tensor, "n d"], y: Shaped[Tensor, "n d"]) -> Shaped[Tensor, "n d"]:
    return x


@typechecked
def sequences(x: Float[Tensor, "b t d"], w: Float[Tensor, "d"]) -> Float[Tensor, "b t d"]:
    return x


def of_kind(kind: str, *shape: int) -> Any:
    """Make a tensor of some kind."""
    dense = torch.ones(*shape)
    match kind:
        case "sparse":
            return dense.to_sparse()
        case "CSR":
            return dense.to_sparse_csr()
        case "quantized":
            return torch.quantize_per_tensor(dense, 0.1, 0, torch.qint8)
        case "half":
            return dense.to(torch.float8_e4m3fn)
        case "subclass":
            return dense.as_subclass(type("Mine", (Tensor,), {}))
        case "inference":
            with torch.inference_mode():
                return dense + 1
    return dense.to(torch.complex64).conj()


@pytest.mark.parametrize(
    "kind", ["sparse", "CSR", "quantized", "half", "subclass", "inference", "conjugate view"]
)
def test_a_tensor_of_any_kind_is_checked(kind: str) -> None:
    assert same(of_kind(kind, 2, 3), of_kind(kind, 2, 3)).shape == (2, 3)
    with pytest.raises(TensorCheckError):
        same(of_kind(kind, 2, 3), of_kind(kind, 3, 2))


def test_a_jagged_tensor_has_a_size_of_its_own_where_it_is_ragged() -> None:
    jagged = torch.nested.nested_tensor([f(2, 3), f(4, 3)], layout=torch.jagged)
    assert sequences(jagged, f(3)) is jagged
    with pytest.raises(TensorCheckError):
        sequences(jagged, f(4))


def test_a_nested_tensor_that_shows_no_shape_is_not_to_blame() -> None:
    nested = torch.nested.nested_tensor([f(2, 3), f(4, 3)])
    assert sequences(nested, f(3)) is nested
    with pytest.raises(TensorCheckError, match="`w`"):
        sequences(nested, f(3, 3))


@pytest.fixture
def _group(tmp_path: Path) -> Iterator[None]:
    distributed.init_process_group("gloo", f"file://{tmp_path / 'store'}", rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.mark.usefixtures("_group")
def test_a_distributed_tensor_has_its_global_shape() -> None:
    from torch.distributed.tensor import DTensor, Shard, distribute_tensor, init_device_mesh

    @typechecked
    def use(x: Float[Tensor, "n d"], y: Float[DTensor, "n d"]) -> Float[Tensor, "n d"]:
        return x

    spread = distribute_tensor(f(4, 6), init_device_mesh("cpu", (1,)), [Shard(0)])
    assert use(spread, spread) is spread
    for bad in ((f(4, 5), spread), (spread, f(4, 6))):
        with pytest.raises(TensorCheckError):
            use(*bad)


def test_a_mock_is_no_tensor_whatever_it_is_asked() -> None:
    with pytest.raises(TensorCheckError, match="`x` is MagicMock, expected Tensor"):
        same(mock.MagicMock(), f(2, 3))
    with pytest.raises(TensorCheckError, match="is MagicMock, expected int"):
        typechecked(_count)(mock.MagicMock())


def _count(n: int) -> None: ...
