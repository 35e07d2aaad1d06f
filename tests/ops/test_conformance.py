# SPDX-License-Identifier: Apache-2.0
"""Every rule agrees with its framework, on calls that fit and on calls that do not."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ops.conformance import agrees, check, evaluate
from tests.ops.frameworks import Raised, run
from tests.ops.scenes import as_written, drawn
from typedtensors.ops import Known, Rule, rules

RULES = [pytest.param(rule, id=rule.names[0]) for rule in rules()]
# The same draws everywhere: a red build stays red until its cause is found.
_SETTINGS = settings(max_examples=10, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
_SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_examples(rule: Rule) -> None:
    assert rule.examples


@pytest.mark.parametrize("rule", RULES)
def test_examples_are_known_and_right(rule: Rule) -> None:
    """Each spelling accepts an example, each example is accepted by a spelling."""
    accepted = set()
    for op in rule.names:
        for at, example in enumerate(rule.examples):
            scene = as_written(rule, op, example)
            actual = run(scene)
            if isinstance(actual, Raised):
                continue
            outcome = evaluate(rule, scene)
            assert isinstance(outcome, Known), f"{scene}: {outcome}"
            assert agrees(scene, outcome.value, actual, outcome.facts), f"{scene}: {outcome.value}"
            accepted |= {op, at}
    missing = {*rule.names, *range(len(rule.examples))} - accepted
    assert not missing


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
    rng = random.Random(seed)
    for _ in range(10):
        check(rule, drawn(rule, rng))
