# SPDX-License-Identifier: Apache-2.0
"""Distributions of one number each, whose parameters broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.parameters import PREFIX, element, made, one_of, together
from typedtensors.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Distribution

_CHECKED = "validate_args=None"


def _of(*names: str) -> Callable[[Call], Distribution]:
    """A rule: a distribution whose parameters are these."""

    def apply(call: Call) -> Distribution:
        batch = together(call, names)
        dtype = element(call[name] for name in names)
        return made(call, batch, Shape(()), dtype, dict.fromkeys(names, batch))

    return apply


_ONE = (example(Array("b n")), example(Array("*a n")), example(1.0))
for _kind, _name in (
    ("Exponential", "rate"),
    ("Poisson", "rate"),
    ("HalfNormal", "scale"),
    ("HalfCauchy", "scale"),
    ("Chi2", "df"),
):
    rule(f"{PREFIX}{_kind}", params=f"{_name}, {_CHECKED}", examples=_ONE)(_of(_name))

_TWO = (
    example(Array("b n"), Array("b n")),
    example(Array("b n"), Array("n")),
    example(Array("b n"), 1.0),
    example(Array("b 1"), Array("b")),
    example(Array("b n"), Array("b")),
    example(Array("*a n"), Array("n")),
    example(0.5, 1.0),
)
for _kind, _names in (
    ("Normal", ("loc", "scale")),
    ("LogNormal", ("loc", "scale")),
    ("Laplace", ("loc", "scale")),
    ("Cauchy", ("loc", "scale")),
    ("Gumbel", ("loc", "scale")),
    ("Beta", ("concentration1", "concentration0")),
    ("Kumaraswamy", ("concentration1", "concentration0")),
    ("Gamma", ("concentration", "rate")),
    ("InverseGamma", ("concentration", "rate")),
    ("Pareto", ("scale", "alpha")),
    ("Weibull", ("scale", "concentration")),
    ("FisherSnedecor", ("df1", "df2")),
):
    rule(
        f"{PREFIX}{_kind}",
        params=f"{', '.join(_names)}, {_CHECKED}",
        examples=_TWO,
    )(_of(*_names))

rule(
    f"{PREFIX}VonMises",
    params=f"loc, concentration, {_CHECKED}",
    examples=_TWO[:2],
)(_of("loc", "concentration"))
rule(
    f"{PREFIX}Uniform",
    params=f"low, high, {_CHECKED}",
    examples=(
        example(Array("b n", fill=0), Array("b n")),
        example(Array("b n", fill=0), Array("n")),
        example(0.0, 1.0),
        example(0.0, Array("b")),
    ),
)(_of("low", "high"))
rule(
    f"{PREFIX}StudentT",
    params=f"df, loc=0.0, scale=1.0, {_CHECKED}",
    examples=(example(Array("b n")), example(2.0, Array("b n"), Array("n")), *_TWO[:3]),
)(_of("df", "loc", "scale"))


def _likely(*others: str) -> Callable[[Call], Distribution]:
    """A rule: a distribution given by probabilities or their logits, and by other parameters."""

    def apply(call: Call) -> Distribution:
        name = one_of(call, "probs", "logits")
        batch = together(call, (name, *others))
        own = {"probs": batch, "logits": batch, **dict.fromkeys(others, batch)}
        return made(call, batch, Shape(()), element((call[name],)), own)

    return apply


_LIKELY = (
    example(Array("b n")),
    example(logits=Array("b n")),
    example(probs=Array("*a n")),
    example(0.5),
    example(Array("b"), Array("b")),
)
rule(
    *(f"{PREFIX}{kind}" for kind in ("Bernoulli", "ContinuousBernoulli")),
    params=f"probs=None, logits=None, {_CHECKED}",
    examples=_LIKELY,
)(_likely())
rule(
    f"{PREFIX}Geometric",
    params=f"probs=None, logits=None, {_CHECKED}",
    examples=_LIKELY,
)(_likely())
for _kind, _default in (("Binomial", "=1"), ("NegativeBinomial", "")):
    rule(
        f"{PREFIX}{_kind}",
        params=f"total_count{_default}, probs=None, logits=None, {_CHECKED}",
        examples=(
            example(3, logits=Array("b n")),
            example(Array("b n"), logits=Array("n")),
            example(Array("b 1"), logits=Array("b")),
            example(3, Array("b", fill=0)),
        ),
    )(_likely("total_count"))
rule(
    f"{PREFIX}RelaxedBernoulli",
    params=f"temperature, probs=None, logits=None, {_CHECKED}",
    examples=(example(Array(""), logits=Array("b n")), example(Array(""), Array("b"))),
)(_likely())
