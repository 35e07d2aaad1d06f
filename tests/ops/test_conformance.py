# SPDX-License-Identifier: Apache-2.0
"""Every rule agrees with its framework, on calls that fit and on calls that do not."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.ops.conformance import check
from tests.ops.stage import as_written, drawn
from typedtensors.ops import Rule, rules

RULES = [pytest.param(rule, id=rule.names[0]) for rule in rules()]
# The same draws everywhere: a red build stays red until its cause is found.
_SETTINGS = settings(
    max_examples=10, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
_SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_examples(rule: Rule) -> None:
    assert rule.examples


@pytest.mark.parametrize("rule", RULES)
def test_examples_are_right_in_every_spelling(rule: Rule) -> None:
    """What the framework accepts is known; and it accepts an example in each spelling."""
    accepted = set()
    for op, example in product(rule.names, rule.examples):
        scene = as_written(rule, op, example)
        verdict = check(rule, scene)
        assert verdict != "unknown", scene
        if verdict == "agreed":
            accepted.add(op)
    assert accepted == {*rule.names}


@pytest.mark.parametrize("rule", RULES)
@_SETTINGS
@given(seed=_SEEDS)
def test_rules_agree_with_the_framework(rule: Rule, seed: int) -> None:
    compare(rule, seed)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@settings(_SETTINGS, max_examples=200)
@given(seed=_SEEDS)
def test_rules_agree_with_the_framework_at_length(rule: Rule, seed: int) -> None:
    compare(rule, seed)


def compare(rule: Rule, seed: int) -> None:
    """Ten scenes from one seed: drawing each choice by itself costs more than making the calls."""
    rng = random.Random(seed)  # noqa: S311
    for _ in range(10):
        check(rule, drawn(rule, rng))
