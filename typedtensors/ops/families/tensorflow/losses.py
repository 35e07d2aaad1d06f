# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow compares predictions with, and what its networks normalize."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.names import tensorflow_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.loss import require_axis, require_same_shape
from typedtensors.ops.steps.matmul import without_last
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_LAST = Dim.of(-1)
_SAME = (
    *(example(Array("b n"), Array("b n")), example(Array("*a n"), Array("*a n"))),
    *(example(Array("b 1"), Array("b")), example(Array("b n"), Array("n b"))),
)


@rule(
    *tensorflow_names("nn.sigmoid_cross_entropy_with_logits"),
    params="labels, logits, name=None",
    examples=_SAME,
)
@rule(
    *tensorflow_names("nn.weighted_cross_entropy_with_logits"),
    params="labels, logits, pos_weight, name=None",
    examples=tuple(example(*each.args, 2.0) for each in _SAME),
)
def elementwise_loss(call: Call) -> Value:
    """A loss for each element; labels and logits have one shape."""
    require_same_shape(call, "logits", "labels")
    labels, logits = call.tensor("labels"), call.tensor("logits")
    shape = logits.shape if labels.shape.rank is None else labels.shape
    return Tensor(shape, promotion.promoted(call.framework, (labels, logits)))


@rule(
    *tensorflow_names("nn.softmax_cross_entropy_with_logits"),
    params="labels, logits, axis=-1, name=None",
    examples=(
        *(example(Array("b c"), Array("b c")), example(Array("b t c"), Array("b t c"))),
        example(Array("b c"), Array("b n")),
    ),
)
def softmax_cross_entropy(call: Call) -> Value:
    """A loss for each row of classes; labels of one row are those of all."""
    labels, logits = call.tensor("labels"), call.tensor("logits")
    if labels.shape.rank is None or labels.shape.rank != logits.shape.rank:
        raise Undetermined("the ranks are not known to agree")
    meet(call, {"labels": labels, "logits": logits}, ("labels", "logits"))
    if call["axis"] != _LAST or labels.shape != logits.shape:
        raise Undetermined("only some axes are stretched")
    return Tensor(without_last(logits.shape), ANY)


@rule(
    *tensorflow_names("nn.sparse_softmax_cross_entropy_with_logits"),
    params="labels, logits, name=None",
    examples=(
        *(example(indices("b"), Array("b c")), example(indices("b t"), Array("b t c"))),
        *(example(indices("b 1"), Array("b c")), example(indices("b"), Array("n c"))),
    ),
)
def sparse_cross_entropy(call: Call) -> Value:
    """The labels are the logits but for the classes."""
    labels, logits = call.tensor("labels"), call.tensor("logits")
    if logits.shape.rank == 0:
        raise Conflicting(wording.rank_differs(wording.argument("logits", call.name), "... c", ""))
    wanted, given = without_last(logits.shape), labels.shape
    if wanted.rank is None or given.rank is None:
        return Tensor(given, ANY)
    if wanted.rank != given.rank:
        where = wording.argument("labels", call.name)
        raise Conflicting(wording.rank_differs(where, wanted.text, given.text))
    for at in range(given.rank):
        require_axis(call, ("logits", at), ("labels", at))
    return Tensor(given, logits.dtype)


@rule(
    *tensorflow_names("nn.l2_loss"),
    params="t, name=None",
    examples=(example(Array("b n")), example(Array("*a"))),
)
def l2_loss(call: Call) -> Value:
    """One number."""
    return Tensor(Shape(()), call.tensor("t").dtype)


@rule(
    *tensorflow_names("nn.dropout"),
    params="x, rate, noise_shape=None, seed=None, name=None",
    examples=(example(Array("b n"), 0.5), example(Array("*a"), rate=0.25)),
)
def dropout(call: Call) -> Value:
    """The same shape."""
    return call.tensor("x")


_CHANNELS_LAST = (None, "NHWC", "N...C")


@rule(
    *tensorflow_names("nn.bias_add"),
    params="value, bias, data_format=None, name=None",
    examples=(
        *(example(Array("b c"), Array("c")), example(Array("b h w c"), Array("c"))),
        *(example(Array("b c"), Array("n")), example(Array("b c"), Array("b c"))),
        example(Array("b c h w"), Array("c"), data_format="NCHW"),
    ),
)
def bias_add(call: Call) -> Value:
    """A value for each channel, which are last, or follow the batch."""
    array, bias = call.tensor("value"), call.tensor("bias")
    if call["data_format"] not in (*_CHANNELS_LAST, "NCHW", "NC..."):
        raise Undetermined("where the channels are is not known")
    at = -1 if call["data_format"] in _CHANNELS_LAST else 1
    if array.shape.rank is not None and array.shape.rank < 2:
        raise Undetermined("no axis of channels")
    if bias.shape.rank not in (None, 1):
        where = wording.argument("bias", call.name)
        raise Conflicting(wording.rank_differs(where, "c", bias.shape.text))
    if bias.shape.rank == 1:
        require_axis(call, ("value", at), ("bias", 0))
    return array


_BATCH = ("x", "mean", "variance", "offset", "scale")


@rule(
    *tensorflow_names("nn.batch_normalization"),
    params="x, mean, variance, offset, scale, variance_epsilon, name=None",
    examples=(
        example(Array("b c"), Array("c"), Array("c"), Array("c"), Array("c"), 0.001),
        example(Array("b h w c"), Array("c"), Array("c"), None, None, 0.001),
        example(Array("b c"), Array("n"), Array("c"), None, None, 0.001),
    ),
)
def batch_normalization(call: Call) -> Value:
    """What scales and shifts the array broadcasts to it."""
    operands = {name: call[name] for name in _BATCH if call[name] is not None}
    return Tensor(meet(call, operands), ANY)
