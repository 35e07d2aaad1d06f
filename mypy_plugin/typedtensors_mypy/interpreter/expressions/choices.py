# SPDX-License-Identifier: Apache-2.0
"""Choices among the elements of an axis that has one element: nothing is left to choose."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cache

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.dims import Dim
from typedtensors.dims.quick import dataclass
from typedtensors.ops import Fields, Known, Layer, Rule, Unknown, Value
from typedtensors.shapes import Tensor


@dataclass(frozen=True)
class _Choice:
    """What comes out of one element, and what is meant; `axis` where no argument says it."""

    result: str
    instead: str
    axis: int | None = None


_WEIGHTS = _Choice("1", "`sigmoid` of one logit, or another axis")
_LOGARITHMS = _Choice("0", "`logsigmoid` of one logit, or another axis")
_PLACES = _Choice("0", "compare one score with a threshold, or take another axis")
_LOSS = "the binary cross entropy of one logit"
_CHOICES: Mapping[str, _Choice] = {
    **dict.fromkeys(("softmax", "softmin", "gumbelsoftmax"), _WEIGHTS),
    "logsoftmax": _LOGARITHMS,
    **dict.fromkeys(("argmax", "argmin", "max", "min"), _PLACES),
    **dict.fromkeys(("crossentropy", "crossentropyloss"), _Choice("0", _LOSS, 1)),
    **dict.fromkeys(
        (
            *("categoricalcrossentropy", "sparsecategoricalcrossentropy"),
            *("softmaxcrossentropywithlogits", "sparsesoftmaxcrossentropywithlogits"),
        ),
        _Choice("0", _LOSS, -1),
    ),
}
# How ops call the array among whose elements they choose, and its axis.
_ARRAYS = ("input", "a", "x", "logits", "inputs", "y_pred")
_AXES = ("dim", "axis")
_CALLS = ("forward", "__call__")
# Ops that may give the places of what they choose beside it.
_WITH_PLACES = frozenset({"max", "min"})


def judge_choice(
    name: str,
    rule: Rule,
    layer: Layer | None,
    given: tuple[Sequence[Value], Mapping[str, Value]],
    outcome: Known,
) -> Diagnostic | None:
    """What is wrong with a choice among one element, if an op makes one."""
    if layer is not None and layer.config.get("activation") == "softmax":
        return _judge("softmax", _WEIGHTS, outcome.value, -1)
    called, choice = _choice_of(name)
    if choice is None or (called in _WITH_PLACES and not isinstance(outcome.value, Fields)):
        return None
    arguments = _arguments(rule, layer, given)
    array = next((arguments[each] for each in _ARRAYS if each in arguments), None)
    return _judge(called, choice, array, _axis(choice, name, arguments))


@cache
def _choice_of(name: str) -> tuple[str, _Choice | None]:
    """What an op is called by those who call it, and which choice it makes, if it makes one."""
    owner, _, last = name.rpartition(".")
    called = owner.rpartition(".")[2] if last in _CALLS else last
    return called, _CHOICES.get(called.lower().replace("_", ""))


def _judge(called: str, choice: _Choice, array: Value, at: int | None) -> Diagnostic | None:
    if at is None or not isinstance(array, Tensor):
        return None
    axis = array.shape.axis(at)
    if axis is None or axis.flexible or not axis.is_one:
        return None
    shape = array.shape.text
    return wording.chooses_among_one(called, at, shape, choice.result, hint=choice.instead)


def _arguments(
    rule: Rule, layer: Layer | None, given: tuple[Sequence[Value], Mapping[str, Value]]
) -> Mapping[str, Value]:
    bound = rule.parameters.bind(tuple(given[0]), given[1])
    if isinstance(bound, Unknown):
        return {}
    return bound if layer is None else {**layer.config, **bound}


def _axis(choice: _Choice, name: str, arguments: Mapping[str, Value]) -> int | None:
    """Along which axis an op chooses; None where that is not said, or not known."""
    if choice.axis is not None:
        return choice.axis
    axis = next((arguments[each] for each in _AXES if each in arguments), None)
    if axis is None and choice is not _PLACES and name.startswith(("tensorflow.", "keras.")):
        return -1
    return axis.value if isinstance(axis, Dim) else None


def reads_places(root: ast.AST, call: ast.expr) -> bool:
    """Whether code reads where the elements are: `_, place = x.max(1)`, `x.max(1).indices`."""
    return any(_reads_places(part, call) for part in ast.walk(root))


def _reads_places(part: ast.AST, call: ast.expr) -> bool:
    if isinstance(part, ast.Assign) and part.value is call:
        names = getattr(part.targets[0], "elts", [])
        return len(names) == 2 and getattr(names[1], "id", "") != "_"
    if isinstance(part, ast.Attribute):
        return part.value is call and part.attr == "indices"
    if not isinstance(part, ast.Subscript) or part.value is not call:
        return False
    return isinstance(part.slice, ast.Constant) and part.slice.value == 1
