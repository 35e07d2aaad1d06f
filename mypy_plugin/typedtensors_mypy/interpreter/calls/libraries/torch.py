# SPDX-License-Identifier: Apache-2.0
"""What is no op of torch's, but carries arrays: data sets, loaders, containers, wrappers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from typedtensors.dims import Dim
from typedtensors.ops import Unknown, Value
from typedtensors.shapes import Axis, DType, Shape, Tensor
from typedtensors_mypy.interpreter.arguments import Arguments
from typedtensors_mypy.interpreter.calls.classes import bound_method
from typedtensors_mypy.interpreter.calls.keras.models import (
    make_input,
    make_model,
    make_sequential,
)
from typedtensors_mypy.interpreter.calls.libraries.autograd import AUTOGRAD
from typedtensors_mypy.interpreter.calls.libraries.chains import make_chain
from typedtensors_mypy.interpreter.calls.libraries.mapping import (
    MAPPED,
    call_mapped,
    map_elements,
    vmap,
)
from typedtensors_mypy.interpreter.expressions.displays import entries
from typedtensors_mypy.interpreter.expressions.iteration import as_sequence, item_of
from typedtensors_mypy.interpreter.expressions.ops import apply_op
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.values import Instance, Items, Keyed, Stream


def _tensor_dataset(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """A data set gives one row of each of its arrays at a time."""
    if not all(isinstance(value, Tensor) for value in arguments.positional):
        return Unknown("a data set of unknown arrays")
    rows = [_row(value) for value in arguments.positional if isinstance(value, Tensor)]
    return Unknown("a data set of unknown arrays") if None in rows else Stream(tuple(rows))


def _row(array: Tensor) -> Tensor | None:
    if not array.shape.prefix:
        return None
    return Tensor(Shape(array.shape.axes[1:]), array.dtype)


def _data_loader(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """A loader stacks samples; the size of a batch is not known, for the last one is smaller."""
    given = {"batch_size": Dim.of(1), **arguments.keywords}
    if arguments.positional:
        given["dataset"] = arguments.positional[0]
    if len(arguments.positional) > 2 or "collate_fn" in given or not arguments.complete:
        return Unknown("a loader that collates in its own way")
    sample = _sample(frame, node, given.get("dataset"))
    if given["batch_size"] is None and "batch_sampler" not in given:
        return Stream(sample)
    return Stream(_stacked(sample, Axis(Dim.fresh("batch"))))


def _sample(frame: Frame, node: ast.expr, data: Value) -> Value:
    if isinstance(data, Instance):
        method = bound_method(frame, data, "__getitem__")
        if method is None:
            return Unknown("a data set without `__getitem__`")
        return frame.run.call(frame, node, method, Arguments((Dim.fresh("i"),)))
    return item_of(frame, data)


def _stacked(sample: Value, batch: Axis) -> Value:
    if isinstance(sample, Tensor):
        return Tensor(Shape((batch, *sample.shape.axes)), sample.dtype)
    if isinstance(sample, tuple):
        return tuple(_stacked(item, batch) for item in sample)
    if isinstance(sample, (Dim, float)):
        # A batch of Python numbers is an array of the widest dtype of their kind.
        dtype = "int64" if isinstance(sample, Dim) else "float64"
        return Tensor(Shape((batch,)), DType.exactly(dtype))
    return Unknown("samples that are not arrays")


def _parts(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    """Each part of a data set gives the same samples as the whole."""
    return Stream(arguments.positional[0]) if arguments.positional else Unknown("nothing")


def _same(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    return arguments.positional[0] if arguments.positional else Unknown("nothing")


def _not(_frame: Frame, _node: ast.expr, _arguments: Arguments) -> Value:
    """Whether torch compiles or traces the code: it runs as it would without."""
    return False


def _module_list(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Items(())
    held = as_sequence(frame, arguments.positional[0])
    return Items(held) if isinstance(held, tuple) else held


def _module_dict(frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    if not arguments.positional:
        return Items((), ())
    held = entries(frame, arguments.positional[0])
    if held is not None:
        return Items(tuple(held.values()), tuple(held))
    now = frame.state.now(arguments.positional[0])
    return now if isinstance(now, Keyed) else Unknown("a dict of unknown modules")


def _einsum_of_words(frame: Frame, node: ast.expr, arguments: Arguments) -> Value:
    """As einops has it, but with the equation in front, where `torch.einsum` has it."""
    if not arguments.complete or not arguments.positional:
        return Unknown("a call whose arguments are not known")
    equation, *operands = arguments.positional
    return apply_op(frame, node, "einops.einsum", (*operands, equation))


# Functions that compute a module's weight from others, of the same size.
_REPARAMETRIZING = (
    "weight_norm",
    "remove_weight_norm",
    "spectral_norm",
    "remove_spectral_norm",
    "parametrizations.weight_norm",
    "parametrizations.spectral_norm",
    "parametrizations.orthogonal",
)


def _module_of(_frame: Frame, _node: ast.expr, arguments: Arguments) -> Value:
    given = (*arguments.positional[:1], arguments.keywords.get("module"))
    return Unknown("no module is given") if given[0] is None else given[0]


LIBRARY: Mapping[str, Callable[[Frame, ast.expr, Arguments], Value]] = {
    "torch.utils.data.TensorDataset": _tensor_dataset,
    "torch.utils.data.DataLoader": _data_loader,
    "torch.utils.data.random_split": _parts,
    "torch.utils.data.Subset": _same,
    "torch.nn.ModuleList": _module_list,
    "torch.nn.ModuleDict": _module_dict,
    "torch.nn.ParameterList": _module_list,
    "torch.nn.ParameterDict": _module_dict,
    "torch.nn.Sequential": make_chain,
    "keras.Sequential": make_sequential,
    "keras.Input": make_input,
    "keras.Model": make_model,
    "keras.layers.Lambda": _same,
    "torch.nn.DataParallel": _same,
    "torch.nn.parallel.DataParallel": _same,
    "torch.nn.parallel.DistributedDataParallel": _same,
    "torch.compile": _same,
    "torch.jit.script": _same,
    "torch.compiler.is_compiling": _not,
    "torch.compiler.is_dynamo_compiling": _not,
    "torch.jit.is_scripting": _not,
    "torch.jit.is_tracing": _not,
    "torch.onnx.is_in_onnx_export": _not,
    "fancy_einsum.einsum": _einsum_of_words,
    **{f"torch.nn.utils.{name}": _module_of for name in _REPARAMETRIZING},
    **AUTOGRAD,
    **dict.fromkeys(("torch.vmap", "torch.func.vmap", "functorch.vmap"), vmap),
    MAPPED: call_mapped,
    **dict.fromkeys(("tensorflow.map_fn", "tensorflow.vectorized_map"), map_elements),
}
