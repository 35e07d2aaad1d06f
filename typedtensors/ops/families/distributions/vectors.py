# SPDX-License-Identifier: Apache-2.0
"""Distributions over classes and vectors, whose parameters have an axis for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import meet
from typedtensors.ops.steps.parameters import PREFIX, element, made, one_of, unbatched
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Distribution

_CHECKED = "validate_args=None"
_CLASSES = (
    example(Array("b n")),
    example(logits=Array("b t n")),
    example(probs=Array("*a n")),
    example(Array("")),
    example(Array("b n"), Array("b n")),
)


def _over_classes(call: Call) -> tuple[Shape, Shape, dict[str, Shape]]:
    """Batch, classes and the parameters of a distribution given by a weight for each class."""
    name = one_of(call, "probs", "logits")
    batch, classes = unbatched(call, name)
    whole = call.tensor(name).shape
    return batch, classes, {"probs": whole, "logits": whole}


@rule(
    f"{PREFIX}Categorical",
    params=f"probs=None, logits=None, {_CHECKED}",
    examples=_CLASSES,
)
def categorical(call: Call) -> Distribution:
    """The number of a class: one number for each row of weights."""
    batch, _, own = _over_classes(call)
    return made(call, batch, Shape(()), element((call[one_of(call, "probs", "logits")],)), own)


@rule(
    *(f"{PREFIX}OneHotCategorical", f"{PREFIX}OneHotCategoricalStraightThrough"),
    params=f"probs=None, logits=None, {_CHECKED}",
    examples=_CLASSES,
)
@rule(
    f"{PREFIX}Multinomial",
    params=f"total_count=1, probs=None, logits=None, {_CHECKED}",
    examples=(example(3, Array("b n")), example(logits=Array("*a n")), example(2, Array(""))),
)
@rule(
    f"{PREFIX}RelaxedOneHotCategorical",
    params=f"temperature, probs=None, logits=None, {_CHECKED}",
    examples=(example(Array(""), Array("b n")), example(Array(""), logits=Array("*a n"))),
)
def one_hot(call: Call) -> Distribution:
    """A vector with an element for each class."""
    batch, classes, own = _over_classes(call)
    return made(call, batch, classes, element((call[one_of(call, "probs", "logits")],)), own)


@rule(
    f"{PREFIX}Dirichlet",
    params=f"concentration, {_CHECKED}",
    examples=(example(Array("b n")), example(Array("*a n")), example(Array(""))),
)
def dirichlet(call: Call) -> Distribution:
    """A vector of probabilities."""
    batch, event = unbatched(call, "concentration")
    whole = call.tensor("concentration").shape
    own = {"concentration": whole}
    return made(call, batch, event, element((call["concentration"],)), own)


_MATRICES = ("covariance_matrix", "precision_matrix", "scale_tril")


@rule(
    f"{PREFIX}MultivariateNormal",
    params=f"loc, {', '.join(f'{name}=None' for name in _MATRICES)}, {_CHECKED}",
    examples=(
        example(Array("b n"), Array("b n n")),
        example(Array("b n"), Array("n n")),
        example(Array("n"), scale_tril=Array("n n")),
        example(Array("*a n"), precision_matrix=Array("n n"), validate_args=False),
        example(Array("b n"), Array("n")),
        example(Array("b n")),
    ),
)
def multivariate_normal(call: Call) -> Distribution:
    """A vector, with a matrix for how its elements go together."""
    matrix = one_of(call, *_MATRICES)
    batch, event = unbatched(call, "loc")
    shape = call.tensor(matrix).shape
    if shape.rank in (0, 1):
        where = wording.argument(matrix, call.name)
        raise Conflicting(wording.rank_differs(where, "... n n", shape.text))
    if shape.least_rank < 2 or len(shape.suffix) < 2:
        raise Undetermined("the matrix is not known")
    (size,) = event.axes
    if any(part != size for part in shape.axes[-2:]):
        # What does not fit, torch finds out when it draws.
        raise Undetermined("the matrix is not known to be one for these vectors")
    lead = meet(call, {"loc": Tensor(batch), matrix: Tensor(Shape(shape.axes[:-2]))})
    whole = Shape((*lead.axes, *event.axes))
    own = dict.fromkeys(_MATRICES, Shape((*whole.axes, *event.axes)))
    return made(call, lead, event, element((call["loc"], call[matrix])), {"loc": whole, **own})


@rule(
    f"{PREFIX}LowRankMultivariateNormal",
    params=f"loc, cov_factor, cov_diag, {_CHECKED}",
    examples=(
        example(Array("b n"), Array("b n r"), Array("b n")),
        example(Array("n"), Array("n r"), Array("n")),
        example(Array("b n"), Array("b m r"), Array("b n")),
    ),
)
def low_rank_normal(call: Call) -> Distribution:
    """A vector, with a thin matrix and a diagonal for how its elements go together."""
    batch, event = unbatched(call, "loc")
    factor = call.tensor("cov_factor").shape
    if len(factor.suffix) < 2:
        raise Undetermined("the factor is not known")
    diagonal, elements = unbatched(call, "cov_diag")
    _require_elements(call, "cov_factor", event, factor.suffix[-2])
    _require_elements(call, "cov_diag", event, elements.suffix[-1])
    leads = {"loc": batch, "cov_factor": Shape(factor.axes[:-2]), "cov_diag": diagonal}
    lead = meet(call, {name: Tensor(shape) for name, shape in leads.items()})
    whole = Shape((*lead.axes, *event.axes))
    dtype = element(call[name] for name in leads)
    return made(call, lead, event, dtype, {"loc": whole, "cov_diag": whole})


def _require_elements(call: Call, name: str, event: Shape, axis: Axis) -> None:
    """An argument has a row for each element of the vectors."""
    wanted = event.suffix[-1]
    if axis.flexible or wanted.flexible:
        raise Undetermined("a size is not known")
    if call.same(axis.dim, wanted.dim) is Verdict.DIFFERENT:
        where, texts = wording.argument(name, call.name), (str(wanted), str(axis))
        index = -2 if name == "cov_factor" else -1
        raise Conflicting(wording.axis_differs(where, index, *texts, bound_by="`loc`"))
