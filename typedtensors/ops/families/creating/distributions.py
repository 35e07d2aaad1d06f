# SPDX-License-Identifier: Apache-2.0
"""Distributions of torch: the densities of values.

A distribution is a layer: its constructor keeps the parameters, its methods are called on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.layers import layer
from typedtensors.ops.outcome import Undetermined
from typedtensors.ops.rule import Array, Example, indices
from typedtensors.ops.steps.elementwise import meet
from typedtensors.shapes import ANY, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_FAMILY = "distributions"
_HOME = "torch.distributions."
# A value and the first parameter; the other parameters have the value's shape or no axes.
_PAIRS = (("b n", "b n"), ("b n", "n"), ("b", "b 1"), ("*a n", "*a n"))


def _density(*names: str) -> Callable[[Call], Value]:
    """A rule: a number for each value and each element of the parameters `names`."""

    def apply(call: Call) -> Tensor:
        call.tensor("value")
        return Tensor(meet(call, {name: call[name] for name in ("value", *names)}), ANY)

    return apply


def _odds(call: Call) -> Tensor:
    """The parameter of a distribution that takes `probs` or `logits`."""
    return call.tensor("logits" if call["probs"] is None else "probs")


def _of_two(call: Call) -> Tensor:
    """A number for each value and each probability."""
    operands = {"value": call.tensor("value"), "probs": _odds(call)}
    return Tensor(meet(call, operands), ANY)


def _of_several(call: Call) -> Tensor:
    """A number for each value; the last axis of the probabilities holds the choices."""
    odds = _odds(call)
    if not odds.shape.suffix:
        raise Undetermined("the choices have no axis that is known")
    batch = odds.with_shape(Shape(odds.shape.axes[:-1]))
    return Tensor(meet(call, {"value": call.tensor("value"), "probs": batch}), ANY)


def _examples(parameters: int, *, choices: str = "") -> tuple[Example, ...]:
    made = []
    for value, first in _PAIRS:
        given = [Array(f"{first} {choices}".strip()), *[1.0] * (parameters - 1)]
        values = indices(value) if choices else Array(value)
        # Arrays of examples hold ones, which not every distribution has for a value.
        made.append(Example((values,)).on(*given, validate_args=False))
    return tuple(made)


def _distribution(
    name: str, params: str, density: Callable[[Call], Value], examples: tuple[Example, ...]
) -> None:
    layer(
        _HOME + name,
        params=f"{params}, validate_args=None",
        inputs="value",
        methods=("log_prob",),
        family=_FAMILY,
        examples=examples,
    )(density)


_OF_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("Normal", "LogNormal", "Laplace", "Cauchy", "Gumbel"), ("loc", "scale")),
    **dict.fromkeys(("Exponential", "Poisson"), ("rate",)),
    **dict.fromkeys(("HalfNormal", "HalfCauchy"), ("scale",)),
    "Beta": ("concentration1", "concentration0"),
    "Gamma": ("concentration", "rate"),
    "StudentT": ("df", "loc", "scale"),
    "Uniform": ("low", "high"),
}
_DEFAULTS = {"StudentT": "df, loc=0.0, scale=1.0"}

for _name, _names in _OF_PARAMETERS.items():
    _params = _DEFAULTS.get(_name, ", ".join(_names))
    _distribution(_name, _params, _density(*_names), _examples(len(_names)))
for _name in ("Bernoulli", "Geometric"):
    _distribution(_name, "probs=None, logits=None", _of_two, _examples(1))
_distribution("Categorical", "probs=None, logits=None", _of_several, _examples(1, choices="c"))
