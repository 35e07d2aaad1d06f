# SPDX-License-Identifier: Apache-2.0
"""The real thing: a scene's call, made in the framework that the op belongs to."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import torch
from torch.nn.modules.lazy import LazyModuleMixin

from tests.ops.scenes import DrawnArray, Scene, rebuilt
from tests.tensorflow_arrays import as_dtype, as_tensor, is_tensorflow, traced, variable_of
from typedtensors.dims import Dim
from typedtensors.ops import Module, Object
from typedtensors.shapes import DType

# Without an accelerator: another op that does the same to shape and dtype.
_STAND_INS = {
    **{f"torch.Tensor.{name}": "torch.Tensor.cpu" for name in ("cuda", "ipu", "mtia", "xpu")},
    "torch.Tensor.pin_memory": "torch.clone",
}


_LAYOUTS = {
    "sparse": torch.Tensor.to_sparse,
    "csr": torch.Tensor.to_sparse_csr,
    "csc": torch.Tensor.to_sparse_csc,
}
_FOR_ANOTHER_DEVICE = re.compile(r"only supports (the )?ND?HWC")
"""What TensorFlow says where it has no kernel for this processor."""
_OBJECTS = {"numpy.random.Generator": np.random.default_rng}


@dataclass(frozen=True)
class Raised:
    """The framework rejects the call."""

    error: BaseException


def run(scene: Scene) -> Any:
    """The framework's result, or Raised.

    Arrays hold ones, on the CPU: the meta device lets some calls pass that every device rejects.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return _call(scene)
        except Exception as error:  # noqa: BLE001 - whatever a framework raises, it rejects
            if is_tensorflow(scene.op) and _FOR_ANOTHER_DEVICE.search(str(error)):
                return traced(lambda: _call(scene))
            return Raised(error)


def _call(scene: Scene) -> Any:
    args = [_real(scene, arg) for arg in scene.args]
    kwargs = {name: _real(scene, value) for name, value in scene.kwargs.items()}
    if scene.layer is not None:
        layer = resolve(scene.op.rpartition(".")[0])
        own = [_real(scene, arg) for arg in scene.layer.args]
        named = {name: _real(scene, value) for name, value in scene.layer.kwargs.items()}
        made = layer(*own, **named)
        # In training, a batch of one is a mistake to batch normalization.
        made = made if is_tensorflow(scene.op) else made.eval()
        if isinstance(made, LazyModuleMixin):
            made(*args, **kwargs)  # makes its weights, which `forward` alone does not
        args.insert(0, made)
    if scene.op.startswith("tensorflow.Tensor.assign"):
        args[0] = variable_of(args[0])
    op = _op(scene, args)
    result = op(*args, **kwargs) if callable(op) else op.__get__(*args)
    if result is NotImplemented:
        raise TypeError(scene.op)
    return result


def _op(scene: Scene, args: list[Any]) -> Any:
    """The op of a scene; a distribution's is a method or an attribute of its own class's."""
    if scene.op.startswith("tensorflow.Tensor."):
        # What is computed at once has a class of its own, which overrides some.
        return getattr(type(args[0]), scene.op.rpartition(".")[2])
    if not scene.op.startswith("torch.distributions.Distribution."):
        return resolve(_STAND_INS.get(scene.op, scene.op))
    name = scene.op.rpartition(".")[2]
    own = getattr(type(args[0]), name, None)
    return own if callable(own) else lambda given: getattr(given, name)


@cache
def resolve(name: str) -> Any:
    """The object of a full name. Raises ImportError if the framework has none."""
    first, *path = name.split(".")
    found: Any = import_module(first)
    for at, part in enumerate(path):
        if not hasattr(found, part):
            import_module(".".join((first, *path[: at + 1])))
        found = getattr(found, part)
    return found


def _real(scene: Scene, value: Any) -> Any:
    numpy = scene.op.startswith("numpy.") or scene.op == "torch.from_numpy"
    if isinstance(value, DrawnArray) and is_tensorflow(scene.op):
        return as_tensor(value.sizes, value.dtype, value.fill)
    if isinstance(value, DrawnArray):
        # Position 1 is not on every axis, position 0 is.
        indexes = scene.op.endswith("item__") and "int" in value.dtype
        fill = 0 if indexes else value.fill
        if numpy:
            made = np.full(value.sizes, fill, value.dtype)
            linear = scene.op.startswith("numpy.linalg.")
            return _invertible(torch.from_numpy(made)).numpy() if linear else made
        if value.dtype.startswith("q"):
            return _quantized(torch.full(value.sizes, float(fill)), value)
        array = _invertible(torch.full(value.sizes, fill, dtype=getattr(torch, value.dtype)))
        return _LAYOUTS[value.layout](array) if value.layout else array
    if isinstance(value, Module):
        named = {name: _real(scene, each) for name, each in value.kwargs.items()}
        return resolve(value.name)(*(_real(scene, arg) for arg in value.args), **named)
    if isinstance(value, Dim):
        return scene.size(value)
    if isinstance(value, Object):
        return _OBJECTS[value.name]()
    if isinstance(value, DType):
        (name,) = value.names or ()
        if is_tensorflow(scene.op):
            return as_dtype(name)
        return np.dtype(name) if numpy else getattr(torch, name)
    return rebuilt(value, lambda leaf: _real(scene, leaf))


def _quantized(floats: torch.Tensor, wanted: DrawnArray) -> torch.Tensor:
    dtype = getattr(torch, wanted.dtype)
    if wanted.layout != "channels":
        return torch.quantize_per_tensor(floats, 1.0, 0, dtype)
    count = floats.shape[-1]
    numbers = torch.ones(count), torch.zeros(count, dtype=torch.int64)
    return torch.quantize_per_channel(floats, *numbers, floats.ndim - 1, dtype)


def _invertible(array: torch.Tensor) -> torch.Tensor:
    """The array, halved off the diagonal of a square matrix: one of equal elements is singular."""
    square = array.ndim >= 2 and array.shape[-1] == array.shape[-2]
    if square and (array.is_floating_point() or array.is_complex()):
        diagonal = array.diagonal(dim1=-2, dim2=-1).clone()
        array.div_(2).diagonal(dim1=-2, dim2=-1).copy_(diagonal)
    return array
