# SPDX-License-Identifier: Apache-2.0
"""Distributions: what they are made from, what they are asked about, and what meets."""

from __future__ import annotations

from typing import Any

import pytest

from typedtensors.dims import Facts
from typedtensors.ops import Distribution, Known, Unknown, lookup
from typedtensors.shapes import Shape, Tensor

_HOME = "torch.distributions."
_OF = f"{_HOME}Distribution."


def make(call: Any, kind: str, *args: Any, **kwargs: Any) -> Distribution:
    made = call.outcome(_HOME + kind, *args, **kwargs)
    assert isinstance(made, Distribution)
    return made


def test_parameters_broadcast_to_the_batch(call: Any) -> None:
    made = make(call, "Normal", call.array("n d"), call.array("d"))
    assert (made.batch, made.event) == (Shape.of("n", "d"), Shape(()))


def test_the_last_axis_of_weights_holds_the_classes(call: Any) -> None:
    made = make(call, "Categorical", logits=call.array("n c"))
    assert made.batch == Shape.of("n")
    assert call(f"{_OF}sample", made, (5,)) == "5 n"
    assert call(f"{_OF}probs", made) == "n c"


@pytest.mark.parametrize(
    ("value", "density"),
    [("n d", "n"), ("s n d", "s n"), ("d", "n"), ("... d", "... n")],
    ids=["one draw", "several draws", "one event for all", "any number of draws"],
)
def test_joined_axes_are_summed_over(call: Any, value: str, density: str) -> None:
    base = make(call, "Normal", call.array("n d"), 1.0)
    joined = make(call, "Independent", base, 1)
    assert call(f"{_OF}log_prob", joined, call.array(value)) == density


def test_a_value_that_meets_the_batch_crosswise_is_told_of() -> None:
    """As in PPO where the policy gives a column, and the actions are a vector."""
    normal, asked = lookup(f"{_HOME}Normal"), lookup(f"{_OF}log_prob")
    assert normal is not None
    assert asked is not None
    made = normal.evaluate(f"{_HOME}Normal", (Tensor(Shape.of("n", 1)), 1.0), {}, Facts())
    assert isinstance(made, Known)
    found = asked.evaluate(f"{_OF}log_prob", (made.value, Tensor(Shape.of("n"))), {}, Facts())
    assert isinstance(found, Known)
    (met,) = found.broadcasts
    assert met.result.shape == Shape.of("n", "n")
    # A batch of draws is no mistake: nothing is compared that has to be of one shape.
    assert met.compared == ()


def test_an_event_has_exactly_the_shape_of_the_parameters(call: Any) -> None:
    made = make(call, "Dirichlet", call.array("n k"))
    assert call(f"{_OF}log_prob", made, call.array("n k")) == "n"
    assert call(f"{_OF}log_prob", made, call.array("n j")) == "tensor-shape"
    assert call(f"{_OF}log_prob", made, call.array("")) == "tensor-rank"


def test_shapes_that_torch_is_told_not_to_compare_are_silent(call: Any) -> None:
    made = make(call, "Dirichlet", call.array("n k"), validate_args=False)
    assert call(f"{_OF}log_prob", made, call.array("n j")) == "unknown"


def test_weights_and_logits_exclude_each_other(call: Any) -> None:
    array = call.array("n c")
    assert call(f"{_HOME}Categorical", array, array) == "tensor-op"
    assert call(f"{_HOME}Bernoulli") == "tensor-op"
    assert call(f"{_HOME}Bernoulli", Unknown("hidden"), array) == "unknown"


def test_what_is_discrete_has_no_draws_with_gradients(call: Any) -> None:
    made = make(call, "Categorical", call.array("n c"))
    assert call(f"{_OF}rsample", made) == "tensor-op"


def test_a_matrix_that_may_not_fit_the_vectors_leaves_the_distribution_open(call: Any) -> None:
    found = call(f"{_HOME}MultivariateNormal", call.array("n d"), call.array("k k"))
    assert found == "unknown"


def test_divergences_broadcast_batches_and_sum_over_events(call: Any) -> None:
    one = make(call, "Normal", call.array("n d"), 1.0)
    other = make(call, "Normal", 0.0, 1.0)
    assert call(f"{_HOME}kl_divergence", one, other) == "n d"
    joined = make(call, "Independent", one, 1)
    assert call(f"{_HOME}kl_divergence", joined, joined) == "n"
    assert call(f"{_HOME}kl_divergence", one, joined) == "unknown"
