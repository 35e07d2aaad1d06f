# SPDX-License-Identifier: Apache-2.0
"""A rule's answer beside the framework's."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from tests.ops.frameworks import Raised, resolve, run
from tests.ops.scenes import Scene, walk
from tests.ops.stage import drawn
from tests.tensorflow_arrays import described
from typedtensors.dims import Compound, Dim, Facts
from typedtensors.ops import (
    SOME_FLOAT,
    Conflict,
    Device,
    Distribution,
    Known,
    Layer,
    Many,
    Module,
    Object,
    Outcome,
    Rule,
    Unknown,
    lookup,
)
from typedtensors.ops.registry import home
from typedtensors.shapes import Axis, DType, Shape, Tensor

tally: Counter[tuple[str, str]] = Counter()
"""How often each module of rules decided, missed or knew nothing."""


class _Unmade(Exception):  # noqa: N818 - what a constructor says, carried to where it is told
    """An argument that its constructor does not make."""

    def __init__(self, outcome: Unknown | Conflict) -> None:
        super().__init__(outcome)
        self.outcome = outcome


def evaluate(rule: Rule, scene: Scene) -> Outcome:
    """The rule's outcome for the scene."""
    try:
        return _evaluate(rule, scene)
    except _Unmade as unmade:
        return unmade.outcome


def _evaluate(rule: Rule, scene: Scene) -> Outcome:
    facts = Facts()

    def seen(value: Any) -> Any:
        """An argument as the rule gets it; what its constructor learns is known from then on."""
        nonlocal facts
        if isinstance(value, list):
            return [*map(seen, value)]
        if not isinstance(value, Module):
            return scene.seen(value)
        args, kwargs = tuple(map(seen, value.args)), {k: seen(v) for k, v in value.kwargs.items()}
        made, facts = _made(value.name, args, kwargs, facts)
        return made

    layer = None
    if scene.layer is not None:
        given = Module(scene.op.rpartition(".")[0], *scene.layer.args, **scene.layer.kwargs)
        layer = seen(given)
        assert isinstance(layer, Layer)
    args = tuple(map(seen, scene.args))
    kwargs = {name: seen(value) for name, value in scene.kwargs.items()}
    return rule.evaluate(scene.op, args, kwargs, facts, layer=layer)


def _made(name: str, args: Any, kwargs: Any, facts: Facts) -> tuple[Any, Facts]:
    constructor = lookup(name)
    assert constructor is not None, f"{name} has no constructor"
    made = constructor.evaluate(name, args, kwargs, facts)
    if isinstance(made, Known):
        return made.value, made.facts
    raise _Unmade(made)


def compare(rule: Rule, seeds: Iterable[int]) -> Counter[str]:
    """Check one scene from each seed, and count how they went.

    A seed gives the same scene everywhere: a red build stays red until its cause is found.
    Drawing each choice of a scene with hypothesis would cost more than making the calls.
    """
    name = rule.names[0]
    return Counter(check(rule, drawn(rule, random.Random(f"{name} {seed}"))) for seed in seeds)  # noqa: S311


def check(rule: Rule, scene: Scene) -> str:
    """Compare, and say how it went: agreed, rejected, unknown, missed. Raises AssertionError."""
    outcome = evaluate(rule, scene)
    unasked = _is_huge(outcome) or _may_end_the_process(scene, outcome)
    verdict = "unknown" if unasked else _verdict(scene, outcome, run(scene))
    tally[home(rule), verdict] += 1
    return verdict


def _may_end_the_process(scene: Scene, outcome: Outcome) -> bool:
    """Whether the framework does not raise if the call does not fit, as the rule may say it does.

    Such a call is not made, so nothing holds against the rule what it says of it.
    """
    return "scatter_nd" in scene.op and not isinstance(outcome, Known)


def _is_huge(outcome: Outcome) -> bool:
    """Whether the framework would need gigabytes for what the rule says that it makes."""
    found = walk([outcome.value]) if isinstance(outcome, Known) else ()
    counts = (each.shape.count for each in found if isinstance(each, Tensor))
    return any(count is not None and (count.value or 0) > _MANY for count in counts)


def _verdict(scene: Scene, outcome: Outcome, actual: Any) -> str:
    if isinstance(outcome, Unknown):
        return "unknown"
    if isinstance(outcome, Conflict):
        told = outcome.diagnostic.text
        assert isinstance(actual, Raised), _differ("false alarm", scene, told, actual)
        return "rejected"
    if isinstance(actual, Raised):
        # What a call teaches may be false of a call that fails, as may a size that the rule left
        # open or takes to divide; and a TypeError is no matter of shapes: a spelling does not take
        # an argument that others take.
        excused = bool(outcome.facts.equations) or _about_values(actual.error)
        # A constructor only keeps what it is given, and the value of a float is not followed.
        excused |= isinstance(outcome.value, (Layer, float))
        excused |= _is_open(scene, outcome.value) or _is_too_small(scene, actual.error)
        assert excused or not scene.plain, _differ("missed", scene, outcome.value, actual)
        return "missed"
    right = agrees(scene, outcome.value, actual, outcome.facts)
    assert right, _differ("wrong", scene, outcome.value, actual)
    return "agreed"


def _differ(how: str, scene: Scene, rule: Any, actual: Any) -> str:
    return f"{how}: {scene}\n  rule: {rule}\n  framework: {_text(actual)}"


_MANY = 10**8

# The framework rejects a position or length because of how small an axis is.
_TOO_SMALL = (
    "out of range for",
    "start out of range",
    "out of bounds for",
    "exceeds dimension size",
    "to be no larger",
    "index k out of range",
    "greater than actual input size",
    "too large relative to input",
    "smaller than kernel size",
    "window shape cannot be larger",
    "maximum size for tensor at",
    "Padding size should be less than",
    "Output size is too small",
    "output size is too small",
    "length must be non-negative",
    "is too small. Calculated output",
    "calculated shape of the array of sliding blocks",
    "Expected size[",
    "output size would be negative",
    "output size would be zero or negative",
    "slice index",
)


def _is_too_small(scene: Scene, error: BaseException) -> bool:
    """Whether only the size that a name has in this scene is to blame."""
    blamed = any(words in str(error) for words in _TOO_SMALL)
    return blamed and not scene.literal and not isinstance(error, np.exceptions.AxisError)


def _is_open(scene: Scene, value: Any) -> bool:
    """Whether an axis or size of an array is not known, or takes a division to be exact."""
    if isinstance(value, Distribution):
        return _is_open(scene, (Tensor(value.batch), Tensor(value.event)))
    if isinstance(value, Many):
        return True
    tensors = [leaf for leaf in walk(value) if isinstance(leaf, Tensor)]
    axes = [part for tensor in tensors for part in tensor.shape.axes if isinstance(part, Axis)]
    if len(axes) < sum(len(tensor.shape.axes) for tensor in tensors):
        return True
    factors = [factor for axis in axes for factor in axis.dim.factors()]
    unknown = any(atom.name not in scene.sizes for axis in axes for atom in axis.dim.atoms)
    return unknown or any(isinstance(factor, Compound) for factor in factors)


# The framework rejects elements (lengths, the parameters of a distribution, a singular matrix), or
# what memory lies behind them.
_VALUES = (
    "out of bounds for storage",
    "refers to a single memory location",
    "ctc_loss_allocate_outputs",
    "to satisfy the constraint",
    "to be within the support",
    "would result in a division by zero",
    "Integer division by zero",
    "source < number of ones in mask",
    "output dimensions must be positive",
    "Singular matrix",
    "Matrix is not positive definite",
)


def _about_values(error: BaseException) -> bool:
    """Whether a call of these shapes may succeed in another spelling, or with other elements."""
    blamed = any(words in str(error) for words in _VALUES)
    return blamed or isinstance(error, (TypeError, torch.linalg.LinAlgError))


def agrees(scene: Scene, value: Any, actual: Any, facts: Facts) -> bool:
    """Whether the framework's result is one that the rule's answer allows."""
    if isinstance(value, Unknown):
        return True
    if isinstance(value, Tensor):
        shape, dtype = _array(actual)
        return _fits(scene, value.shape, shape, facts) and _holds(value.dtype, dtype)
    if isinstance(value, Distribution):
        whole = (value.batch, value.event, actual.batch_shape, actual.event_shape)
        named = type(actual).__name__ == value.kind
        return named and agrees(scene, whole[:2], whole[2:], facts)
    if isinstance(value, Many):
        return all(agrees(scene, value.item, item, facts) for item in actual)
    if isinstance(value, Dim):
        return _size(scene, value, facts) in (None, int(actual))
    if isinstance(value, Shape):
        return _fits(scene, value, tuple(actual), facts)
    if isinstance(value, (tuple, list)):
        together = zip(value, actual, strict=False)
        return len(value) == len(actual) and all(agrees(scene, *both, facts) for both in together)
    if isinstance(value, dict):
        same_keys = list(value) == list(actual)
        return same_keys and agrees(scene, [*value.values()], [*actual.values()], facts)
    return _is(value, actual)


def _is(value: Any, actual: Any) -> bool:
    """Whether a value without a shape is the framework's."""
    if isinstance(value, DType):
        return _holds(value, str(actual).removeprefix("torch."))
    if isinstance(value, Device):
        return isinstance(actual, torch.device)
    if isinstance(value, (Layer, Object)):
        return isinstance(actual, resolve(value.name))
    if value is SOME_FLOAT:
        return isinstance(actual, (float, int))
    return bool(value == actual)


def _array(actual: Any) -> tuple[tuple[int, ...], str]:
    if isinstance(actual, torch.Tensor):
        return tuple(actual.shape), str(actual.dtype).removeprefix("torch.")
    known = described(actual)
    if known is not None:
        return known
    assert isinstance(actual, (np.ndarray, np.generic)), f"no array: {actual!r}"
    return actual.shape, actual.dtype.name


def _holds(dtype: DType, name: str) -> bool:
    return dtype.names is None or name in dtype.names


def _fits(scene: Scene, shape: Shape, actual: tuple[int, ...], facts: Facts) -> bool:
    """Whether the sizes are the shape's, its names and runs being what the scene says."""
    if shape.rank is None:
        at = shape.variadic or 0
        middle = len(actual) - shape.least_rank
        run = scene.runs.get(shape.axes[at])  # type: ignore[arg-type]
        if middle < 0 or (run is not None and run != actual[at : at + middle]):
            return False
        actual = (*actual[:at], *actual[at + middle :])
    axes = [part for part in shape.axes if isinstance(part, Axis)]
    together = zip(axes, actual, strict=False)
    return len(axes) == len(actual) and all(_is_size(scene, *both, facts) for both in together)


def _is_size(scene: Scene, axis: Axis, actual: int, facts: Facts) -> bool:
    """As written, and as resolved: what a call teaches must be true whenever it succeeds."""
    written = _size(scene, axis.dim, Facts()), _size(scene, axis.dim, facts)
    flexible = axis.flexible and actual == 1
    return flexible or all(size in (None, actual) for size in written)


def _size(scene: Scene, dim: Dim, facts: Facts) -> int | None:
    """The size of a dim; None where a size of its own stands for what the rule does not know."""
    resolved = facts.resolve(dim)
    if any(atom.serial for atom in resolved.atoms):
        return None
    return scene.size(resolved)


def _text(actual: Any) -> str:
    if isinstance(actual, Raised):
        return repr(actual.error)
    if isinstance(actual, (torch.Tensor, np.ndarray)) or described(actual):
        return f"{tuple(actual.shape)} {actual.dtype}"
    return repr(actual)
