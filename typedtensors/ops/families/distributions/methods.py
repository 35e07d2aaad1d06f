# SPDX-License-Identifier: Apache-2.0
"""What distributions are asked: draws, densities, moments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, Verdict
from typedtensors.ops import promotion
from typedtensors.ops.families.distributions.composed import distribution
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Module, example
from typedtensors.ops.steps.axes.sizes import parts, require_sizes, shape_of, sizes
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.parameters import PREFIX
from typedtensors.shapes import ANY, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Distribution, Value

_OF = f"{PREFIX}Distribution."
_NORMAL = Module(f"{PREFIX}Normal", Array("b n"), Array("n"))
_ROWS = Module(f"{PREFIX}Normal", Array("b 1"), 1.0)
_CLASSES = Module(f"{PREFIX}Categorical", logits=Array("b n"))
_COINS = Module(f"{PREFIX}Bernoulli", logits=Array("b n"))
_HOT = Module(f"{PREFIX}OneHotCategorical", logits=Array("b n"))
_VECTORS = Module(f"{PREFIX}MultivariateNormal", Array("b n"), Array("n n"))
_JOINED = Module(f"{PREFIX}Independent", _NORMAL, 1)
_B, _N = Dim.name("b"), Dim.name("n")

# Their draws have no gradient.
_DISCRETE = frozenset(
    {"Bernoulli", "Binomial", "Categorical", "Geometric", "MixtureSameFamily", "Multinomial"}
    | {"NegativeBinomial", "OneHotCategorical", "Poisson", "VonMises"}
)
_DRAWN = (
    example(_NORMAL),
    example(_NORMAL, (5, 3)),
    example(_NORMAL, (_B,)),
    example(_VECTORS, (2,)),
    example(_JOINED),
)


def _drawn_dtype(given: Distribution) -> DType:
    return promotion.INT64 if given.kind == "Categorical" else given.dtype


@rule(
    f"{_OF}sample",
    params="self, sample_shape=()",
    examples=(*_DRAWN, example(_CLASSES), example(_CLASSES, (7,)), example(_HOT), example(_COINS)),
)
@rule(
    f"{_OF}rsample",
    params="self, sample_shape=()",
    examples=(*_DRAWN, example(_CLASSES)),
)
def sample(call: Call) -> Value:
    """Draws: the axes that are asked for, then those of the batch, then those of the event."""
    given, shape = distribution(call, "self"), call["sample_shape"]
    if call.name == "rsample" and _innermost(given).kind in _DISCRETE:
        raise Conflicting(wording.misused(call.name, f"`{given.kind}` has no draws with gradients"))
    asked = () if shape == () else sizes(call, "sample_shape")
    if isinstance(shape, Dim):
        raise Undetermined("one size is no sequence of sizes")
    require_sizes(call, asked)
    whole = shape_of((*asked, *given.batch.axes, *given.event.axes))
    return Tensor(whole, _drawn_dtype(_innermost(given)))


def _innermost(given: Distribution) -> Distribution:
    while given.inner is not None:
        given = given.inner
    return given


@rule(
    f"{_OF}log_prob",
    params="self, value",
    examples=(
        example(_NORMAL, Array("b n")),
        example(_NORMAL, Array("s b n")),
        example(_NORMAL, Array("b 1")),
        example(_NORMAL, Array("b")),
        example(_ROWS, Array("b")),
        example(_ROWS, Array("b 1")),
        example(_CLASSES, Array("b", "Int64", 0)),
        example(_CLASSES, Array("s b", "Int64", 0)),
        example(_CLASSES, Array("b 1", "Int64", 0)),
        example(_COINS, Array("b n")),
        example(_VECTORS, Array("s b n")),
        example(_VECTORS, Array("b m")),
        example(_VECTORS, Array("")),
        example(_JOINED, Array("b n")),
        example(_JOINED, Array("s b n")),
        example(_JOINED, Array("b")),
        example(Module(f"{PREFIX}Dirichlet", Array("b 1")), Array("b 1")),
        example(Module(f"{PREFIX}Normal", Array("*a n"), Array("n")), Array("*a n")),
    ),
)
def log_prob(call: Call) -> Value:
    """The log density of each event; values and batch broadcast."""
    given, value = distribution(call, "self"), call.tensor("value")
    dtypes = {given.dtype, value.dtype} if given.kind != "Categorical" else {given.dtype}
    dtype = dtypes.pop() if len(dtypes) == 1 else ANY
    return Tensor(_asked(call, given, value.shape), dtype)


def _asked(call: Call, given: Distribution, value: Shape) -> Shape:
    """One number for each event that the value holds."""
    if given.inner is not None:
        return _summed(_asked(call, given.inner, value), given.joined)
    if given.event.rank is None:
        raise Undetermined("the shape of an event is not known")
    lead = _events(call, given, value)
    return meet(call, {"self": Tensor(given.batch), "value": Tensor(lead)})


def _summed(shape: Shape, joined: int) -> Shape:
    """The shape without its last axes."""
    if len(shape.suffix) < joined:
        return Shape.unknown()
    return Shape(shape.axes[: len(shape.axes) - joined])


def _events(call: Call, given: Distribution, value: Shape) -> Shape:
    """The axes in front of the events, which have exactly the distribution's shape."""
    event = given.event.fixed or ()
    if value.rank is not None and value.rank < len(event):
        where, text = wording.argument("value", call.name), f"... {given.event.text}"
        raise Conflicting(wording.rank_differs(where, text, value.text))
    if len(value.suffix) < len(event):
        raise Undetermined("the axes of the value's events are not known")
    for index, wanted in zip(range(-len(event), 0), event, strict=True):
        own = value.suffix[index]
        if own.flexible or wanted.flexible:
            continue
        if call.same(own.dim, wanted.dim) is not Verdict.DIFFERENT:
            continue
        if not given.checked:
            raise Undetermined("the shapes are not compared")
        where, texts = wording.argument("value", call.name), (str(wanted), str(own))
        raise Conflicting(wording.axis_differs(where, index, *texts, bound_by="the event"))
    return Shape(value.axes[: len(value.axes) - len(event)])


@rule(
    *(f"{_OF}cdf", f"{_OF}icdf"),
    params="self, value",
    examples=(
        example(_NORMAL, Array("b n", fill=0)),
        example(_NORMAL, Array("s b n", fill=0)),
        example(_ROWS, Array("b", fill=0)),
    ),
)
def cumulative(call: Call) -> Value:
    """Elementwise, for distributions of numbers."""
    given, value = distribution(call, "self"), call.tensor("value")
    if given.inner is not None or given.event.rank != 0:
        raise Undetermined("not a distribution of numbers")
    dtype = given.dtype if given.dtype == value.dtype else ANY
    return Tensor(_asked(call, given, value.shape), dtype)


_EACH = (example(_NORMAL), example(_CLASSES), example(_VECTORS), example(_JOINED))


@rule(f"{_OF}entropy", params="self", examples=(*_EACH, example(_COINS)))
def entropy(call: Call) -> Value:
    """A number for each distribution of the batch."""
    given = distribution(call, "self")
    return Tensor(given.batch, given.dtype)


@rule(
    *(f"{_OF}{name}" for name in ("mean", "variance", "stddev")),
    params="self",
    examples=(*_EACH, example(_COINS)),
)
def moment(call: Call) -> Tensor:
    """A value for each element of an event."""
    given = distribution(call, "self")
    return Tensor(shape_of((*given.batch.axes, *given.event.axes)), given.dtype)


@rule(f"{_OF}mode", params="self", examples=(*_EACH, example(_COINS)))
def mode(call: Call) -> Value:
    """The most likely event."""
    return moment(call).with_dtype(_drawn_dtype(_innermost(distribution(call, "self"))))


@rule(f"{_OF}batch_shape", params="self", examples=_EACH)
def batch_shape(call: Call) -> Value:
    """How many distributions there are, along each axis."""
    return distribution(call, "self").batch


@rule(f"{_OF}event_shape", params="self", examples=_EACH)
def event_shape(call: Call) -> Value:
    """The shape of one draw."""
    return distribution(call, "self").event


@rule(
    f"{_OF}expand",
    params="self, batch_shape, _instance=None",
    examples=(
        example(_NORMAL, (5, _B, _N)),
        example(Module(f"{PREFIX}Normal", Array("1"), Array("1")), (_B,)),
        example(_JOINED, (3, _B)),
    ),
)
def expand(call: Call) -> Value:
    """The same distribution, for a batch that this one broadcasts to."""
    given, batch = distribution(call, "self"), shape_of(parts(call["batch_shape"]))
    require_sizes(call, batch.axes)
    if meet(call, {"self": Tensor(given.batch), "batch_shape": Tensor(batch)}) != batch:
        raise Undetermined("the batch is not known to expand")
    call.broadcasts.clear()
    return replace(given, batch=batch, parameters=(), inner=_expanded(given, batch))


def _expanded(given: Distribution, batch: Shape) -> Distribution | None:
    """What is inside of it, for the larger batch."""
    inner = given.inner
    if inner is None:
        return None
    axes = inner.batch.axes[len(inner.batch.axes) - given.joined :]
    whole = Shape((*batch.axes, *axes))
    return replace(inner, batch=whole, parameters=(), inner=_expanded(inner, whole))


# Attributes that hold what a distribution was made from.
for _name, _owner in (
    ("loc", _NORMAL),
    ("scale", _NORMAL),
    ("low", Module(f"{PREFIX}Uniform", Array("b n", fill=0), Array("n"))),
    ("high", Module(f"{PREFIX}Uniform", Array("b n", fill=0), Array("n"))),
    ("probs", _CLASSES),
    ("logits", _CLASSES),
    ("concentration", Module(f"{PREFIX}Gamma", Array("b n"), 1.0)),
    ("rate", Module(f"{PREFIX}Exponential", Array("b n"))),
    ("concentration1", Module(f"{PREFIX}Beta", Array("b n"), Array("n"))),
    ("concentration0", Module(f"{PREFIX}Beta", Array("b n"), Array("n"))),
    ("df", Module(f"{PREFIX}Chi2", Array("b n"))),
    ("covariance_matrix", _VECTORS),
    ("precision_matrix", _VECTORS),
    ("scale_tril", _VECTORS),
    ("base_dist", _JOINED),
):

    @rule(f"{_OF}{_name}", params="self", examples=(example(_owner),))
    def parameter(call: Call) -> Value:
        """What the distribution was made from, broadcast to its batch."""
        found = dict(distribution(call, "self").parameters).get(call.name)
        if found is None:
            raise Undetermined(f"`.{call.name}` of this distribution is not followed")
        return found
