# SPDX-License-Identifier: Apache-2.0
"""Normalization by channel, as functions and as layers: the shape stays, axis 1 has to fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict, at_most, divide
from typedtensors.ops import promotion
from typedtensors.ops.layers import consume, layer
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.reduction import require_inexact
from typedtensors.ops.steps.axes.sizes import is_empty
from typedtensors.ops.steps.signals.images import image, spatial_rank
from typedtensors.shapes import ANY, Axis, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_F = "torch.nn.functional."
_C = Dim.name("c")


def over_channels(call: Call, ranks: tuple[int, ...], size: str = "num_features") -> Tensor:
    """Axis 1 holds the channels; the layer takes arrays of these ranks."""
    array = call.tensor("input")
    rank = array.shape.rank
    if rank is not None and rank not in ranks:
        where = wording.argument("input", call.name)
        wanted = " ".join(("batch", "channels", *"xyz"[: ranks[-1] - 2]))
        raise Conflicting(wording.rank_differs(where, wanted, array.shape.text))
    require_inexact(call, array)
    consume(call, array, 1, call.arguments.get(size), size)
    return Tensor(array.shape, array.dtype)


_NORM = "eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None"
for _name, _ranks, _specs in (
    ("BatchNorm1d", (2, 3), ("b c", "b c t", "*a c t")),
    ("BatchNorm2d", (4,), ("b c h w", "b 8 h w")),
    ("BatchNorm3d", (5,), ("b c d h w",)),
):
    layer(
        f"torch.nn.{_name}",
        params=f"num_features, {_NORM}, *, bias=True",
        examples=tuple(example(Array(spec)).on(_C) for spec in _specs),
    )(lambda call, ranks=_ranks: over_channels(call, ranks))
    layer(
        f"torch.nn.Lazy{_name}",
        params=f"{_NORM}, *, bias=True",
        examples=tuple(example(Array(spec)).on() for spec in _specs[:1]),
    )(lambda call, ranks=_ranks: over_channels(call, ranks))

layer(
    "torch.nn.SyncBatchNorm",
    params="num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, "
    "process_group=None, device=None, dtype=None, *, bias=True",
    examples=(example(Array("b c")).on(_C), example(Array("b c h w")).on(_C)),
)(lambda call: over_channels(call, tuple(range(2, 9))))


@layer(
    "torch.nn.GroupNorm",
    params="num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, "
    "bias=True",
    examples=(
        example(Array("b 8 h w")).on(4, 8),
        example(Array("b c 4")).on(1, _C),
        example(Array("*a h")).on(2, 6),
    ),
)
def group_norm(call: Call) -> Tensor:
    """Axis 1 holds the channels."""
    array = call.tensor("input")
    if array.shape.rank is not None and array.shape.rank < 2:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch channels ...", array.shape.text))
    require_inexact(call, array)
    consume(call, array, 1, call["num_channels"], "num_channels")
    count, groups = array.shape.count, call["num_groups"]
    if count is not None and count.value is not None and count == groups:
        raise Conflicting(wording.misused(call.name, "one value for each group has no spread"))
    return Tensor(array.shape, array.dtype)


def _require_groups(call: Call, array: Tensor) -> None:
    channels, groups = array.shape.axis(1), call["num_groups"]
    if channels is None or channels.flexible or not isinstance(groups, Dim):
        return
    if at_most(groups, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"{groups} groups"))
    size = call.facts.resolve(channels.dim)
    if divide(size, groups) is None and size.value is not None and groups.value is not None:
        problem = f"{size} channels are no multiple of {groups} groups"
        raise Conflicting(wording.sizes_misused(call.name, problem))
    if divide(size, groups) is None:
        raise Undetermined("the groups may not divide the channels")


def _require_weights(call: Call, array: Tensor, *names: str) -> None:
    """Each of the weights that are given is a vector with a value for each channel."""
    channels = array.shape.axis(1)
    for name in names:
        if call.arguments.get(name) is None:
            continue
        weight = call.tensor(name)
        if weight.shape.rank != 1 or channels is None:
            raise Undetermined("the weights are not known to be a vector")
        (axis,) = weight.shape.fixed or ()
        if axis.flexible or channels.flexible:
            continue
        if call.requires(channels.dim, axis.dim) is Verdict.DIFFERENT:
            where, texts = wording.argument("input", call.name), (str(axis), str(channels))
            raise Conflicting(wording.axis_differs(where, 1, *texts, bound_by=f"`{name}`"))


def _require_channels(call: Call, array: Tensor) -> None:
    if array.shape.rank is not None and array.shape.rank < 2:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch channels ...", array.shape.text))
    require_inexact(call, array)


@rule(
    *(f"{_F}group_norm", "torch.group_norm"),
    params="input, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True",
    examples=(
        example(Array("b 8 h w"), 4),
        example(Array("b 6 h w"), 2, Array("6"), Array("6")),
        example(Array("b c h w"), 1, Array("c")),
        example(Array("b 7 h w"), 2),
    ),
)
def group_norm_function(call: Call) -> Tensor:
    """As the layer, with a weight for each channel."""
    array = call.tensor("input")
    _require_channels(call, array)
    _require_groups(call, array)
    _require_weights(call, array, "weight", "bias")
    return Tensor(array.shape, array.dtype)


@rule(
    f"{_F}batch_norm",
    params="input, running_mean, running_var, weight=None, bias=None, training=False, "
    "momentum=0.1, eps=1e-05",
    examples=(
        example(Array("b c"), Array("c"), Array("c")),
        example(Array("b c h w"), Array("c"), Array("c"), Array("c"), Array("c")),
        example(Array("8 c 7"), None, None, training=True),
    ),
)
def batch_norm_function(call: Call) -> Tensor:
    """As the layer, with statistics and weights for each channel."""
    array = call.tensor("input")
    if is_empty(array.shape):
        raise Undetermined("torch normalizes what holds nothing, whatever its rank")
    _require_channels(call, array)
    _require_weights(call, array, "running_mean", "running_var", "weight", "bias")
    axes = array.shape.fixed
    # torch's own function, which this one calls, asks for no spread.
    if call["training"] is not False and axes is not None and call.op.startswith(_F):
        _require_spread(call, (axes[0], *axes[2:]))
    if call["training"] is not True and call["running_mean"] is None:
        raise Undetermined("without statistics it can only train")
    return Tensor(array.shape, array.dtype)


_OPTIONS = "device=None, dtype=None, *, bias=True"
_INSTANCE = f"eps=1e-05, momentum=0.1, affine=False, track_running_stats=False, {_OPTIONS}"
_LAZY = f"eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, {_OPTIONS}"


def per_instance(call: Call) -> Value:
    """The number of channels matters to a layer with weights only."""
    array, count = call.tensor("input"), spatial_rank(call)
    parts = image(call, array.shape, count)
    require_inexact(call, array)
    if call["affine"] is not False or call["track_running_stats"] is not False:
        consume(call, array, -1 - count, call.arguments.get("num_features"), "num_features")
    if call["track_running_stats"] is False:
        _require_spread(call, parts.spatial)
    return Tensor(array.shape, array.dtype)


def per_instance_of_any(call: Call) -> Value:
    """The first call decides the number of channels: it has to have a batch."""
    if call.tensor("input").shape.rank != spatial_rank(call) + 2:
        raise Undetermined("torch takes another axis for the channels without a batch")
    return per_instance(call)


def _require_spread(call: Call, axes: tuple[Axis, ...]) -> None:
    if all(axis.is_one for axis in axes):
        raise Conflicting(wording.misused(call.name, "one value for each channel has no spread"))


for _count in (1, 2, 3):
    _spatial = " ".join("hwd"[:_count])
    layer(
        f"torch.nn.InstanceNorm{_count}d",
        params=f"num_features, {_INSTANCE}",
        examples=(
            example(Array(f"b c {_spatial}")).on(_C),
            example(Array(f"c {_spatial}")).on(_C, affine=True),
            example(Array(f"b c {_spatial}")).on(_C, track_running_stats=True),
        ),
    )(per_instance)
    layer(
        f"torch.nn.LazyInstanceNorm{_count}d",
        params=_LAZY,
        examples=(example(Array(f"b c {_spatial}")).on(),),
    )(per_instance_of_any)


@rule(
    f"{_F}instance_norm",
    params="input, running_mean=None, running_var=None, weight=None, bias=None, "
    "use_input_stats=True, momentum=0.1, eps=1e-05",
    examples=(
        example(Array("b c h w")),
        example(Array("b c n"), weight=Array("c"), bias=Array("c")),
        example(Array("b c")),
    ),
)
def instance_norm_function(call: Call) -> Tensor:
    """As the layer, with weights for each channel."""
    array = call.tensor("input")
    _require_channels(call, array)
    if array.shape.rank is None:
        raise Undetermined("the rank is not known")
    _require_spread(call, (array.shape.fixed or ())[2:])
    _require_weights(call, array, "running_mean", "running_var", "weight", "bias")
    return Tensor(array.shape, array.dtype)


_LOCAL = "size, alpha=0.0001, beta=0.75, k=1.0"


@rule(
    f"{_F}local_response_norm",
    params=f"input, {_LOCAL}",
    examples=(example(Array("b c h w"), 2), example(Array("b c n"), 3), example(Array("b c"), 2)),
)
@layer(
    "torch.nn.LocalResponseNorm",
    params=_LOCAL,
    examples=(example(Array("b c h w")).on(2), example(Array("b c n")).on(3)),
)
def local_response_norm(call: Call) -> Tensor:
    """Neighbouring channels, of which there has to be an axis beside batch and space."""
    array = call.tensor("input")
    if array.shape.rank is not None and array.shape.rank < 3:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch channels x ...", array.shape.text))
    size = call.dim("size").value
    if size is None or size < 1:
        raise Undetermined("the number of neighbours is not known")
    inexact = promotion.kinds(array.dtype) == frozenset({"float"})
    return Tensor(array.shape, array.dtype if inexact else ANY)


@layer(
    "torch.nn.CrossMapLRN2d",
    params=_LOCAL,
    examples=(example(Array("b c h w")).on(2), example(Array("b c h w")).on(3)),
)
def local_response_of_old(call: Call) -> Tensor:
    """As local response normalization, of batches of images."""
    if call.tensor("input").shape.rank != 4:
        raise Undetermined("not known to be images")
    return local_response_norm(call)
