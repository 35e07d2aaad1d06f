# SPDX-License-Identifier: Apache-2.0
"""On demand, an annotated attribute is checked when it is assigned, beside the others."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pytest
import torch
from jaxtyping import Float
from torch import Tensor, nn

from typedtensors import TensorCheckError, typechecked

f = torch.zeros


@typechecked(assignments=True)
@dataclasses.dataclass
class Batch:
    x: Float[Tensor, "n d"]
    y: Float[Tensor, "n"]
    cache: Float[Tensor, "n"] = None  # type: ignore[assignment]
    epoch: int = 0
    made: ClassVar[int] = 0
    scale: dataclasses.InitVar[float] = 1.0


def rejects(target: Any, name: str, value: Any) -> str:
    before = getattr(target, name, None)
    with pytest.raises(TensorCheckError) as caught:
        setattr(target, name, value)
    assert getattr(target, name, None) is before, "what does not fit is not assigned"
    return str(caught.value)


def test_what_is_assigned_fits_the_other_attributes() -> None:
    batch = Batch(f(2, 3), f(2))
    batch.x = f(2, 7)
    batch.y = f(2)
    batch.cache = f(2)
    batch.cache = None  # type: ignore[assignment]
    batch.epoch = 3
    batch.note = "not annotated"  # type: ignore[attr-defined]
    text = rejects(batch, "x", f(4, 3))
    assert "Batch.__setattr__(): dim `n` disagrees" in text
    assert "> 4 <" in text, "what is assigned is to blame"
    rejects(batch, "y", f(2, 2))
    rejects(batch, "cache", f(3))
    rejects(batch, "epoch", "x")


def test_an_object_is_still_made_and_checked_as_usual() -> None:
    with pytest.raises(TensorCheckError, match=r"Batch\.__init__"):
        Batch(f(2, 3), f(4))
    assert dataclasses.replace(Batch(f(2, 3), f(2), f(2)), y=f(2), scale=1.0).x.shape == (2, 3)


def test_attributes_of_a_plain_class_and_of_a_module_are_checked() -> None:
    @typechecked(assignments=True)
    class Layer(nn.Module):
        weight: Float[nn.Parameter, "{self.d} k"]
        running: Float[Tensor, "k"]

        def __init__(self, d: int, k: int) -> None:
            super().__init__()
            self.d = d
            self.weight = nn.Parameter(f(d, k))
            self.register_buffer("running", f(k))

    layer = Layer(3, 4)
    layer.running = f(4)
    rejects(layer, "running", f(5))
    rejects(layer, "weight", nn.Parameter(f(4, 4)))
    with pytest.raises(TensorCheckError):
        layer.weight = f(3, 4)
    assert torch.compile(lambda: layer.running + 1, backend="eager", fullgraph=True)().shape == (4,)


def test_a_class_of_attrs_is_checked_unless_it_converts() -> None:
    attrs = pytest.importorskip("attrs")

    @typechecked(assignments=True)
    @attrs.define
    class Item:
        x: Float[Tensor, "n"]
        y: Float[Tensor, "n"] = attrs.field(converter=torch.as_tensor)

    item = Item(f(3), [0.0] * 3)
    item.y = [1.0] * 3
    rejects(item, "x", f(3, 3))


def test_a_derived_class_is_checked_too() -> None:
    class Labeled(Batch):
        label: str

    labeled = Labeled(f(2, 3), f(2))
    labeled.label = "x"
    rejects(labeled, "y", f(3))


def test_only_arrays_are_checked_on_demand() -> None:
    @typechecked(assignments=True, only="arrays")
    class Loose:
        x: Float[Tensor, "n n"]
        k: int

    loose = Loose()
    loose.k = "x"  # type: ignore[assignment]
    loose.x = None  # type: ignore[assignment]
    rejects(loose, "x", f(2, 3))


def test_it_is_for_classes() -> None:
    with pytest.raises(TypeError, match="for classes"):
        typechecked(assignments=True)(lambda x: x)
