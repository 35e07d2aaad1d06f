# SPDX-License-Identifier: Apache-2.0
"""Losses with a margin between classes, over labels, and over unaligned sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.ops import promotion
from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices, on_layers
from typedtensors.ops.steps.elementwise import meet, overwritten
from typedtensors.ops.steps.loss import (
    dtype_of,
    require_axis,
    require_one_rank,
    require_same_shape,
    returned,
)
from typedtensors.ops.steps.matmul import without_last
from typedtensors.ops.value import Unknown
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_F = "torch.nn.functional."
_LEGACY = "size_average=None, reduce=None, reduction='mean'"


_CLASSES = (
    example(Array("b c"), indices("b")),
    example(Array("b c"), indices("b"), reduction="none"),
    example(Array("c"), indices("")),
    example(Array("b c"), indices("n")),
    example(Array("b c"), indices("b 1")),
)
_MULTI_MARGIN = f"p=1, margin=1.0, weight=None, {_LEGACY}"


@rule(
    f"{_F}multi_margin_loss",
    params=f"input, target, {_MULTI_MARGIN}",
    examples=_CLASSES,
)
@layer(
    "torch.nn.MultiMarginLoss",
    params=_MULTI_MARGIN,
    inputs="input, target",
    examples=on_layers(_CLASSES),
)
def multi_margin_loss(call: Call) -> Tensor:
    """One class index for each row of scores."""
    array, target = call.tensor("input"), call.tensor("target")
    if call["weight"] is not None or array.shape.rank not in (1, 2) or target.shape.rank is None:
        raise Undetermined("the scores are not known to be rows")
    batch = without_last(array.shape)
    if target.shape.rank > 1:
        where = wording.argument("target", call.name)
        raise Conflicting(wording.rank_differs(where, batch.text, target.shape.text))
    if target.shape.rank != batch.rank:
        raise Undetermined("one index for one row")
    if batch.rank:
        require_axis(call, ("input", 0), ("target", 0))
    return returned(call, target.shape, array.dtype)


_SIGNS = (
    example(Array("b n"), Array("b n")),
    example(Array("b n"), Array("n"), reduction="none"),
    example(Array("b 1"), Array("b")),
)


@rule(
    f"{_F}soft_margin_loss",
    params=f"input, target, {_LEGACY}",
    examples=_SIGNS,
)
@layer(
    "torch.nn.SoftMarginLoss",
    params=_LEGACY,
    inputs="input, target",
    examples=on_layers(_SIGNS),
)
def soft_margin_loss(call: Call) -> Tensor:
    """Elements with signs; the target broadcasts to the input, not the other way."""
    arrays = {name: call.tensor(name) for name in ("input", "target")}
    shape = meet(call, arrays, ("input", "target"))
    overwritten(call, arrays["input"], Tensor(shape))
    return returned(call, shape, dtype_of(array.dtype for array in arrays.values()))


_LABELS = (
    example(Array("b c"), Array("b c")),
    example(Array("b c"), Array("b c"), reduction="none"),
    example(Array("c"), Array("c")),
    example(Array("b c"), Array("c")),
    example(Array("b c"), Array("b")),
)


@rule(
    f"{_F}multilabel_soft_margin_loss",
    params=f"input, target, weight=None, {_LEGACY}",
    examples=_LABELS,
)
@layer(
    "torch.nn.MultiLabelSoftMarginLoss",
    params=f"weight=None, {_LEGACY}",
    inputs="input, target",
    examples=on_layers(_LABELS),
)
def multilabel_soft_margin_loss(call: Call) -> Tensor:
    """A yes or no for each class; the last axis, of classes, is averaged over."""
    names = ("input", "target")
    arrays = {name: call.tensor(name) for name in names}
    shape = meet(call, arrays, names)
    dtype = dtype_of(array.dtype for array in arrays.values())
    if call["weight"] is not None or shape != arrays["input"].shape or shape.rank == 0:
        raise Undetermined("another array may widen the losses")
    return returned(call, without_last(shape), dtype)


_MEMBERS = (
    example(Array("b c"), indices("b c")),
    example(Array("b c"), indices("b c"), reduction="none"),
    example(Array("c"), indices("c")),
    example(Array("b c"), indices("b")),
    example(Array("b c"), indices("n c")),
)


@rule(
    f"{_F}multilabel_margin_loss",
    params=f"input, target, {_LEGACY}",
    examples=_MEMBERS,
)
@layer(
    "torch.nn.MultiLabelMarginLoss",
    params=_LEGACY,
    inputs="input, target",
    examples=on_layers(_MEMBERS),
)
def multilabel_margin_loss(call: Call) -> Tensor:
    """The classes of each row, as indices that end with -1."""
    array = call.tensor("input")
    if 0 in (array.shape.least_rank, call.tensor("target").shape.least_rank):
        raise Undetermined("one label for one row")
    require_one_rank(call, "input", "target")
    if array.shape.rank not in (1, 2):
        raise Undetermined("the scores are not known to be rows")
    require_same_shape(call, "input", "target")
    return returned(call, without_last(array.shape), array.dtype)


_ALIGNED = (
    example(Array("t b c"), Array("b s", "Int64"), Array("b", "Int64"), Array("b", "Int64")),
    example(
        *(Array("t b c"), Array("b s", "Int64"), Array("b", "Int64"), Array("b", "Int64")),
        reduction="none",
    ),
    example(Array("t c"), Array("s", "Int64"), Array("", "Int64"), Array("", "Int64")),
    example(Array("t b c"), Array("b s", "Int64"), Array("n", "Int64"), Array("b", "Int64")),
)
_CTC = "blank=0, reduction='mean', zero_infinity=False"
_SEQUENCES = "log_probs, targets, input_lengths, target_lengths"


@rule(
    f"{_F}ctc_loss",
    params=f"{_SEQUENCES}, {_CTC}",
    examples=_ALIGNED,
)
@layer(
    "torch.nn.CTCLoss",
    params=_CTC,
    inputs=_SEQUENCES,
    examples=on_layers(_ALIGNED),
)
def ctc_loss(call: Call) -> Tensor:
    """A loss for each sequence; axis 0 is time, and each sequence says how long it is."""
    array = call.tensor("log_probs")
    rank = array.shape.rank
    if rank is None:
        raise Undetermined("whether there is a batch axis is not known")
    if rank not in (2, 3):
        where = wording.argument("log_probs", call.name)
        raise Conflicting(wording.rank_differs(where, "time batch classes", array.shape.text))
    for name in ("input_lengths", "target_lengths"):
        lengths = call[name]
        if isinstance(lengths, Unknown):
            raise Undetermined(lengths.reason)
        if isinstance(lengths, Tensor) and rank == 3 and lengths.shape.rank == 1:
            require_axis(call, ("log_probs", 1), (name, 0))
        elif isinstance(lengths, Tensor) and (rank == 3 or lengths.shape.rank != 0):
            raise Undetermined("the lengths are not known to be a vector")
    if promotion.kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("the dtype may not do")
    _require_targets(call, rank)
    return returned(call, Shape(array.shape.axes[1:2] if rank == 3 else ()), array.dtype)


def _require_targets(call: Call, rank: int) -> None:
    """Targets lie in rows, one for each sequence, or all behind each other."""
    targets = call.tensor("targets")
    if targets.shape.rank == 2 and rank == 3:
        require_axis(call, ("log_probs", 1), ("targets", 0))
    elif targets.shape.rank != 1:
        raise Undetermined("the targets are not known to fit")
