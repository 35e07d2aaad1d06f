# SPDX-License-Identifier: Apache-2.0
"""Keras's layers over the last axis, those that only move elements, and those that keep a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.dims import Dim
from typedtensors.ops.families.layout.reshape import flattened
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.elements import reshaped
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import parts, shape_of, sized
from typedtensors.ops.steps.keras.layers import computed, keras_layer, passed_on, require_rank
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_U, _N = Dim.name("u"), Dim.name("n")
_X = Array("b n")


@keras_layer(
    "Dense",
    params="units, activation=None, use_bias=True",
    examples=(
        *(example(_X).on(_U), example(Array("b t n")).on(3, "relu"), example(Array("n")).on(_U)),
        example(Array("*a n 4")).on(_U, use_bias=False),
    ),
)
def dense(call: Call) -> Value:
    """The last axis becomes `units`."""
    require_rank(call, "inputs", 2, "... n d")
    shape = call.tensor("inputs").shape
    rest = shape.axes[:-1] if shape.suffix else Shape.unknown().axes
    return computed(call.tensor("inputs"), Shape((*rest, sized(call["units"]))))


@keras_layer(
    "Embedding",
    params="input_dim, output_dim",
    examples=(example(indices("b t")).on(10, _U), example(indices("*a")).on(20, 4)),
)
def embedding(call: Call) -> Value:
    """One more axis, of `output_dim`."""
    array = call.tensor("inputs")
    return computed(array, Shape((*array.shape.axes, sized(call["output_dim"]))))


@keras_layer(
    "Flatten",
    examples=(example(Array("b h w c")).on(), example(_X).on(), example(Array("b *a c")).on()),
)
def flatten(call: Call) -> Value:
    """All axes but the batch become one."""
    array = call.tensor("inputs")
    if array.shape.least_rank < 2 or not array.shape.prefix:
        raise Undetermined("the batch is not known")
    if call["settings"]:
        raise Undetermined("the channels may not be last")
    return passed_on(array, flattened(call, array.shape, 1, -1))


@keras_layer(
    "Reshape",
    params="target_shape",
    examples=(
        *(example(Array("b 6")).on((2, 3)), example(Array("b h w c")).on((-1, 4))),
        *(example(Array("b 6")).on((4, -1)), example(Array("b n m")).on((_N, -1, 1))),
    ),
)
def reshape(call: Call) -> Value:
    """The sizes of everything but the batch."""
    array = call.tensor("inputs")
    if not array.shape.prefix:
        raise Undetermined("the batch is not known")
    batch, *rest = array.shape.axes
    found = reshaped(call, Shape(tuple(rest)), parts(call["target_shape"]))
    return passed_on(array, shape_of((batch, *found.axes)))


@keras_layer(
    "Permute",
    params="dims",
    examples=(example(Array("b n d")).on((2, 1)), example(Array("b h w c")).on([3, 1, 2])),
)
def permute(call: Call) -> Value:
    """The axes behind the batch in another order, counted from 1."""
    array, given = call.tensor("inputs"), call["dims"]
    axes = array.shape.fixed
    if axes is None or not isinstance(given, (tuple, list)) or len(given) != len(axes) - 1:
        raise Undetermined("the axes are not known")
    places = [position(call, array.shape, number) for number in given]
    if sorted(places) != list(range(1, len(axes))):
        raise Undetermined("the order is no order")
    return passed_on(array, Shape((axes[0], *(axes[at] for at in places))))


@keras_layer(
    "RepeatVector",
    params="n",
    examples=(example(_X).on(_U), example(_X).on(3), example(Array("b t n")).on(3)),
)
def repeat_vector(call: Call) -> Value:
    """Each vector so many times."""
    require_rank(call, "inputs", 2, "b d", exact=True)
    array = call.tensor("inputs")
    if array.shape.rank is None:
        raise Undetermined("the rank is not known")
    batch, last = array.shape.axes
    return passed_on(array, Shape((batch, sized(call["n"]), last)))


@keras_layer(
    "CategoryEncoding",
    params="num_tokens=None, output_mode='multi_hot', sparse=False",
    inputs="inputs, count_weights=None",
    examples=(
        *(example(indices("b k")).on(20), example(indices("b")).on(20, output_mode="one_hot")),
        *(example(indices("b t")).on(20, "one_hot"), example(indices("b 1")).on(20, "one_hot")),
    ),
)
def category_encoding(call: Call) -> Value:
    """Which of so many tokens there are in each row, or one row for each token."""
    array, how = call.tensor("inputs"), call["output_mode"]
    if array.shape.rank not in (1, 2) or not isinstance(how, str) or call["sparse"] is not False:
        raise Undetermined("the rank, or what is made, is not known")
    last = array.shape.suffix[-1]
    dropped = how != "one_hot" or (last.is_one and array.shape.rank != 1)
    if last.flexible or not (last.is_one or last.dim.declared):
        raise Undetermined("the last axis may be of size 1")
    kept = array.shape.axes[:-1] if dropped else array.shape.axes
    return Tensor(Shape((*kept, sized(call["num_tokens"]))), ANY)


def kept(call: Call) -> Value:
    """The shape stays."""
    return passed_on(call.tensor("inputs"))


_KEPT = (Array("b n"), Array("b t n"), Array("*a n"))
for _names, _params, _given in (
    (("Dropout", "GaussianDropout", "AlphaDropout"), "rate", (0.5,)),
    (("GaussianNoise",), "stddev", (0.5,)),
    (("Activation",), "activation", ("relu",)),
    (("ReLU", "LeakyReLU", "ELU", "Identity", "ActivityRegularization", "Masking"), "", ()),
    (("Rescaling",), "scale, offset=0.0", (2.0,)),
):
    keras_layer(
        *_names, params=_params, examples=tuple(example(each).on(*_given) for each in _KEPT)
    )(kept)


for _count in (1, 2, 3):
    _named = Array(" ".join(("b", *"hwd"[:_count], "c")))

    @keras_layer(
        f"SpatialDropout{_count}D",
        params="rate",
        examples=(example(_named).on(0.5), example(Array("b c")).on(0.5)),
    )
    def spatial_dropout(call: Call) -> Value:
        """The shape stays; there is a batch, so many axes, and channels."""
        count = int(call.op.partition("Dropout")[2][0])
        wanted = " ".join(("b", *"hwd"[:count], "c"))
        require_rank(call, "inputs", count + 2, wanted, exact=True)
        return passed_on(call.tensor("inputs"))
