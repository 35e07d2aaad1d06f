# SPDX-License-Identifier: Apache-2.0
"""Distributions made of distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, Module, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.parameters import PREFIX, is_checked
from typedtensors.ops.value import Distribution, Unknown
from typedtensors.shapes import Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_NORMAL = Module(f"{PREFIX}Normal", Array("b n"), Array("b n"))
_VECTORS = Module(f"{PREFIX}Dirichlet", Array("b t n"))


def distribution(call: Call, name: str) -> Distribution:
    """The argument as a distribution. Raises Undetermined if it is not known to be one."""
    value = call[name]
    if isinstance(value, Distribution):
        return value
    raise Undetermined(value.reason if isinstance(value, Unknown) else f"`{name}` is none")


@rule(
    f"{PREFIX}Independent",
    params="base_distribution, reinterpreted_batch_ndims, validate_args=None",
    examples=(
        example(_NORMAL, 1),
        example(_NORMAL, 2),
        example(_VECTORS, 1),
        example(Module(f"{PREFIX}Normal", 0.0, 1.0), 0),
        example(_NORMAL, 3),
    ),
)
def independent(call: Call) -> Distribution:
    """The last axes of the batch are axes of the event: its elements are one draw."""
    base, joined = (
        distribution(call, "base_distribution"),
        call.integer("reinterpreted_batch_ndims"),
    )
    if base.batch.rank is not None and joined > base.batch.rank:
        problem = f"{joined} axes of a batch of shape {base.batch}"
        raise Conflicting(wording.misused(call.name, problem))
    if joined < 0 or len(base.batch.suffix) < joined:
        raise Undetermined("the axes are not known")
    at = len(base.batch.axes) - joined
    return Distribution(
        kind="Independent",
        batch=Shape(base.batch.axes[:at]),
        event=Shape((*base.batch.axes[at:], *base.event.axes)),
        dtype=base.dtype,
        parameters=(("base_dist", base),),
        inner=base,
        joined=joined,
        checked=is_checked(call),
    )


@rule(
    f"{PREFIX}MixtureSameFamily",
    params="mixture_distribution, component_distribution, validate_args=None",
    examples=(
        example(
            Module(f"{PREFIX}Categorical", Array("b n")),
            Module(f"{PREFIX}Normal", Array("b n"), Array("b n")),
        ),
        example(
            Module(f"{PREFIX}Categorical", Array("n")),
            Module(f"{PREFIX}Normal", Array("b n"), Array("n")),
        ),
        example(
            Module(f"{PREFIX}Categorical", Array("b n")),
            Module(f"{PREFIX}Normal", Array("b m"), Array("b m")),
        ),
    ),
)
def mixture(call: Call) -> Distribution:
    """One of several components: the last axis of their batch is what is chosen from."""
    weights = distribution(call, "mixture_distribution")
    component = distribution(call, "component_distribution")
    given = dict(weights.parameters).get("probs")
    if weights.kind != "Categorical" or not isinstance(given, Tensor):
        raise Undetermined("the weights are not known to be those of classes")
    chosen = {"mixture": given.shape, "component": component.batch}
    if any(shape.rank is None for shape in chosen.values()):
        raise Undetermined("the ranks are not known")
    if component.batch.rank == 0:
        raise Conflicting(wording.misused(call.name, "the components have no axis to choose from"))
    one, other = (shape.axis(-1) for shape in chosen.values())
    if one is None or other is None or one.flexible or other.flexible:
        raise Undetermined("the number of components is not known")
    if call.same(one.dim, other.dim) is Verdict.DIFFERENT:
        where, texts = wording.argument("component_distribution", call.name), (str(one), str(other))
        raise Conflicting(wording.axis_differs(where, -1, *texts, bound_by="the weights"))
    batch = Shape(component.batch.axes[:-1])
    leads = {name: Tensor(Shape(shape.axes[:-1])) for name, shape in chosen.items()}
    if meet(call, leads) != batch:
        raise Undetermined("the weights may not fit the components")
    parts = (("mixture_distribution", weights), ("component_distribution", component))
    return Distribution(
        kind="MixtureSameFamily",
        batch=batch,
        event=component.event,
        dtype=component.dtype,
        parameters=parts,
        checked=is_checked(call),
    )
