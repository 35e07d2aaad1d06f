# SPDX-License-Identifier: Apache-2.0
"""How far apart two distributions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.families.distributions.composed import distribution
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Module, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.parameters import PREFIX
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Distribution

_NORMAL = Module(f"{PREFIX}Normal", Array("b n"), Array("n"))
_ROWS = Module(f"{PREFIX}Normal", Array("b 1"), 1.0)
_FLAT = Module(f"{PREFIX}Normal", Array("b"), 1.0)
_CLASSES = Module(f"{PREFIX}Categorical", logits=Array("b n"))
_JOINED = Module(f"{PREFIX}Independent", _NORMAL, 1)
# Their divergence is a formula over the parameters, element by element.
_ELEMENTWISE = frozenset(
    {"Bernoulli", "Beta", "Exponential", "Gamma", "Geometric", "Laplace", "Normal"}
)


@rule(
    f"{PREFIX}kl_divergence",
    params="p, q",
    examples=(
        example(_NORMAL, _NORMAL),
        example(_NORMAL, Module(f"{PREFIX}Normal", 0.0, 1.0)),
        example(_ROWS, _FLAT),
        example(_NORMAL, _FLAT),
        example(_CLASSES, _CLASSES),
        example(_CLASSES, Module(f"{PREFIX}Categorical", logits=Array("n"))),
        example(_CLASSES, Module(f"{PREFIX}Categorical", logits=Array("b m"))),
        example(
            Module(f"{PREFIX}Independent", _NORMAL, 1), Module(f"{PREFIX}Independent", _NORMAL, 1)
        ),
    ),
)
def kl_divergence(call: Call) -> Tensor:
    """A number for each pair of distributions; their batches broadcast."""
    one, other = distribution(call, "p"), distribution(call, "q")
    dtype = one.dtype if one.dtype == other.dtype else ANY
    return Tensor(_between(call, one, other), dtype)


def _between(call: Call, one: Distribution, other: Distribution) -> Shape:
    if one.kind != other.kind:
        raise Undetermined("distributions of two kinds")
    if one.inner is not None and other.inner is not None:
        return _joined(call, one, other)
    batches = {"p": Tensor(one.batch), "q": Tensor(other.batch)}
    if one.kind in _ELEMENTWISE:
        return meet(call, batches)
    if one.kind != "Categorical":
        raise Undetermined("no formula that is followed")
    _require_classes(call, one, other)
    return meet(call, batches)


def _joined(call: Call, one: Distribution, other: Distribution) -> Shape:
    """The sum over the axes that are one event."""
    if one.joined != other.joined or one.inner is None or other.inner is None:
        raise Undetermined("events of different ranks")
    shape = _between(call, one.inner, other.inner)
    if len(shape.suffix) < one.joined:
        return Shape.unknown()
    return Shape(shape.axes[: len(shape.axes) - one.joined])


def _require_classes(call: Call, one: Distribution, other: Distribution) -> None:
    """Both are over the same classes."""
    weights = [dict(each.parameters).get("logits") for each in (one, other)]
    axes = [each.shape.axis(-1) for each in weights if isinstance(each, Tensor)]
    known = [axis for axis in axes if axis is not None and not axis.flexible]
    if len(known) < 2:
        raise Undetermined("the number of classes is not known")
    if any(axis.is_one for axis in known):
        raise Undetermined("one class broadcasts to many")
    if call.same(known[0].dim, known[1].dim) is Verdict.DIFFERENT:
        where, texts = wording.argument("q", call.name), (str(known[0]), str(known[1]))
        raise Conflicting(wording.axis_differs(where, -1, *texts, bound_by="the classes of `p`"))
