# SPDX-License-Identifier: Apache-2.0
"""The weights of torch's layers, by the sizes that these were made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typedtensors.ops.value import Layer, Value

_HOME = "torch.nn."
_FLOAT = DType.named("Float")
_TABLE = (("num_embeddings", "embedding_dim"), ())
_NORM = (("num_features",), ("num_features",))
# The sizes of `weight`, and those of `bias`.
_SIZES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Linear": (("out_features", "in_features"), ("out_features",)),
    "Bilinear": (("out_features", "in1_features", "in2_features"), ("out_features",)),
    **dict.fromkeys(("Embedding", "EmbeddingBag"), _TABLE),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"), _NORM),
    "GroupNorm": (("num_channels",), ("num_channels",)),
}
_SWITCHES = ("affine", "elementwise_affine")


def weight_of(layer: Layer, name: str) -> Tensor | None:
    """`layer.weight`, `layer.bias` or a running statistic; None if it is not known to be there."""
    kind, config = layer.name.removeprefix(_HOME), layer.config
    if any(config.get(switch, True) is not True for switch in _SWITCHES):
        return None
    if name == "bias" and config.get("bias", True) is not True:
        return None
    if kind in {"LayerNorm", "RMSNorm"} and name in {"weight", "bias"}:
        shape = config["normalized_shape"]
        return _made(shape if isinstance(shape, (tuple, list)) else (shape,))
    if kind.startswith("BatchNorm") and name in {"running_mean", "running_var"}:
        return _made((config["num_features"],))
    if kind not in _SIZES or name not in {"weight", "bias"}:
        return None
    sizes = _SIZES[kind][name == "bias"]
    return _made([config[size] for size in sizes]) if sizes else None


def _made(sizes: Iterable[Value]) -> Tensor | None:
    dims = list(sizes)
    known = [dim for dim in dims if isinstance(dim, Dim)]
    if len(known) < len(dims):
        return None
    return Tensor(Shape(tuple(map(Axis, known))), _FLOAT, parameter=True)
