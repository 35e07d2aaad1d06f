# SPDX-License-Identifier: Apache-2.0
"""Every rule agrees with its framework, on calls that fit and on calls that do not."""

from __future__ import annotations

import importlib.util
from itertools import product

import pytest

from tests.ops.conformance import check, compare
from tests.ops.stage import as_written
from tests.tensorflow_arrays import is_tensorflow, needs_tensorflow
from typedtensors.ops import Rule, rules


def marks_of(name: str) -> list[pytest.MarkDecorator]:
    """What a rule's framework needs to be there."""
    if name.startswith("torchmetrics."):
        missing = importlib.util.find_spec("torchmetrics") is None
        return [pytest.mark.skipif(missing, reason="torchmetrics is not installed")]
    return [needs_tensorflow] if is_tensorflow(name) else []


RULES = [
    pytest.param(
        rule,
        id=rule.names[0],
        marks=marks_of(rule.names[0]),
    )
    for rule in rules()
]


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
def test_rules_agree_with_the_framework(rule: Rule) -> None:
    compare(rule, range(_draws(rule)))


def _draws(rule: Rule) -> int:
    """How many calls are drawn: a layer of Keras takes long to make its weights."""
    return 40 if rule.names[0].startswith("keras.") else 200


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_rules_agree_with_the_framework_at_length(rule: Rule) -> None:
    compare(rule, range(200, 2_200))
