# SPDX-License-Identifier: Apache-2.0
"""Activations, as functions and as layers: the shape stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops.layers import layer
from typedtensors.ops.names import methods, torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import alike
from typedtensors.ops.steps.signals.images import image
from typedtensors.shapes import Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_F = "torch.nn.functional."
_X = (example(Array("b n")), example(Array("*a n")))
_LAYERS = tuple(each.on() for each in _X)

rule(
    *torch_names("relu", in_place=True),
    *("torch.relu_", f"{_F}relu", f"{_F}relu_", f"{_F}relu6"),
    params="input, inplace=False",
    examples=(*_X, example(Array("b n", "Int64"))),
)(alike())

rule(
    *(f"{_F}sigmoid", f"{_F}tanh", f"{_F}softsign", f"{_F}tanhshrink", f"{_F}logsigmoid"),
    params="input",
    examples=_X,
)(alike("floating"))

rule(
    *(f"{_F}silu", f"{_F}mish", f"{_F}hardsigmoid", f"{_F}hardswish"),
    *(f"{_F}selu", f"{_F}selu_", "torch.selu", "torch.selu_"),
    params="input, inplace=False",
    examples=_X,
)(alike())

# Functions of one array with settings that have no part in the shape, and their layers.
for _names, _layer, _settings in (
    (("gelu",), "GELU", "approximate='none'"),
    (("elu", "elu_"), "ELU", "alpha=1.0, inplace=False"),
    (("celu", "celu_"), "CELU", "alpha=1.0, inplace=False"),
    (("leaky_relu", "leaky_relu_"), "LeakyReLU", "negative_slope=0.01, inplace=False"),
    (("hardtanh", "hardtanh_"), "Hardtanh", "min_val=-1.0, max_val=1.0, inplace=False"),
    (("softplus",), "Softplus", "beta=1.0, threshold=20.0"),
    (("softshrink",), "Softshrink", "lambd=0.5"),
    (("hardshrink",), "Hardshrink", "lambd=0.5"),
):
    # Some of these torch has as its own too.
    _own = ("celu", "celu_", "hardshrink")
    rule(
        *(f"{_F}{name}" for name in _names),
        *(f"torch.{name}" for name in _names if name in _own),
        params=f"input, {_settings}",
        examples=_X,
    )(alike())
    layer(f"torch.nn.{_layer}", params=_settings, examples=_LAYERS)(alike())

layer(
    *("torch.nn.ReLU", "torch.nn.ReLU6", "torch.nn.SiLU", "torch.nn.Mish", "torch.nn.SELU"),
    *("torch.nn.Hardsigmoid", "torch.nn.Hardswish"),
    params="inplace=False",
    examples=_LAYERS,
)(alike())

layer(
    *("torch.nn.Sigmoid", "torch.nn.Tanh", "torch.nn.Softsign", "torch.nn.Tanhshrink"),
    "torch.nn.LogSigmoid",
    params="",
    examples=_LAYERS,
)(alike("floating"))

rule(
    *methods("hardshrink"),
    params="input, lambd=0.5",
    examples=_X,
)(alike())
rule(
    *("torch.rrelu", "torch.rrelu_", f"{_F}rrelu_"),
    params="input, lower=0.125, upper=0.3333333333333333, training=False, generator=None",
    examples=_X,
)(alike())
rule(
    f"{_F}rrelu",
    params="input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False",
    examples=(*_X, example(Array("b n"), 0.1, 0.2)),
)(alike())
layer(
    "torch.nn.RReLU",
    params="lower=0.125, upper=0.3333333333333333, inplace=False",
    examples=_LAYERS,
)(alike())
rule(
    "torch.dropout",
    params="input, p, train",
    examples=(example(Array("b n"), 0.5, True),),
)(alike())

rule(
    *("torch.threshold", "torch.threshold_", f"{_F}threshold_"),
    params="input, threshold, value",
    examples=(example(Array("b n"), 0.5, 1.0),),
)(alike())
rule(
    f"{_F}threshold",
    params="input, threshold, value, inplace=False",
    examples=(example(Array("b n"), 0.5, 1.0),),
)(alike())
layer(
    "torch.nn.Threshold",
    params="threshold, value, inplace=False",
    examples=(example(Array("b n")).on(0.5, 1.0),),
)(alike())


rule(
    *(f"{_F}dropout", f"{_F}alpha_dropout"),
    params="input, p=0.5, training=True, inplace=False",
    examples=(example(Array("b c n")), example(Array("b c n"), 0.1, training=False)),
)(alike())
layer(
    *("torch.nn.Dropout", "torch.nn.AlphaDropout"),
    params="p=0.5, inplace=False",
    examples=(example(Array("b c n")).on(), example(Array("b c n")).on(0.1)),
)(alike())


@rule(
    *(f"{_F}dropout2d", f"{_F}dropout3d", f"{_F}feature_alpha_dropout"),
    params="input, p=0.5, training=True, inplace=False",
    examples=(example(Array("b c n")), example(Array("b c n"), 0.1, training=False)),
)
@layer(
    *("torch.nn.Dropout2d", "torch.nn.Dropout3d", "torch.nn.FeatureAlphaDropout"),
    params="p=0.5, inplace=False",
    examples=(example(Array("b c n")).on(), example(Array("b c n")).on(0.1)),
)
def drop_channels(call: Call) -> Tensor:
    """Whole channels are dropped, and only in training."""
    array = call.tensor("input")
    training = call.arguments.get("training", call.arguments.get("train", True))
    if array.shape.rank is not None and array.shape.rank < 2 and training is not False:
        raise Undetermined("an array without channels passes only where nothing is dropped")
    return Tensor(array.shape, array.dtype)


@rule(
    f"{_F}dropout1d",
    params="input, p=0.5, training=True, inplace=False",
    examples=(example(Array("b c n")), example(Array("c n"), 0.1, training=False)),
)
@layer(
    "torch.nn.Dropout1d",
    params="p=0.5, inplace=False",
    examples=(example(Array("b c n")).on(), example(Array("c n")).on(0.1)),
)
def dropout_signal(call: Call) -> Tensor:
    """Whole channels are dropped: the shape stays."""
    array = call.tensor("input")
    image(call, array.shape, 1)
    return array


layer(
    "torch.nn.Identity",
    params="*args, **kwargs",
    examples=(example(Array("b n")).on(), example(Array("*a")).on(54, unused=False)),
)(lambda call: call["input"])


@rule(
    *torch_names("prelu"),
    f"{_F}prelu",
    params="input, weight",
    examples=(
        example(Array("b c"), Array("c")),
        example(Array("b c h w"), Array("1")),
        example(Array("b c"), Array("b")),
        example(Array("*a"), Array("")),
    ),
)
def prelu(call: Call) -> Tensor:
    """One slope, or one for each channel, which is axis 1."""
    array, weight = call.tensor("input"), call.tensor("weight")
    if weight.shape.least_rank > 1:
        where = wording.argument("weight", call.name)
        raise Conflicting(wording.rank_differs(where, "channels", weight.shape.text))
    slopes = weight.shape.fixed
    if slopes and not slopes[0].flexible:
        _require_channels(call, array, slopes[0].dim, "axis 0 of `weight`")
    return Tensor(array.shape, array.dtype)


def _require_channels(call: Call, array: Tensor, count: Dim, by: str) -> None:
    """Axis 1 has as many channels as there are slopes, unless there is one slope."""
    alone = call.facts.compare(count, Dim.of(1)) is not Verdict.DIFFERENT
    channels = array.shape.axis(1)
    if channels is not None and not channels.flexible and not alone:
        where = wording.argument("input", call.name)
        if call.requires(channels.dim, count) is Verdict.DIFFERENT:
            expected, actual = str(count), str(channels)
            raise Conflicting(wording.axis_differs(where, 1, expected, actual, bound_by=by))
    if array.shape.rank in (0, 1) and not alone:
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, f"... {count}", array.shape.text))


@layer(
    "torch.nn.PReLU",
    params="num_parameters=1, init=0.25, device=None, dtype=None",
    examples=(
        example(Array("b c")).on(Dim.name("c")),
        example(Array("b 4 n")).on(4),
        example(Array("*a")).on(),
    ),
)
def prelu_layer(call: Call) -> Tensor:
    """As the function, with a weight of its own."""
    array, count = call.tensor("input"), call["num_parameters"]
    if isinstance(count, Dim):
        _require_channels(call, array, count, "`num_parameters`")
    return Tensor(array.shape, array.dtype)
