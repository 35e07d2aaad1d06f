# SPDX-License-Identifier: Apache-2.0
"""What a rule says of a recorded call, beside what torch gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from tests.ops.conformance import agrees
from tests.ops.frameworks import Raised
from tests.ops.samples.recording import Recorded
from tests.ops.samples.seen import Sight
from tests.ops.scenes import Scene
from typedtensors.dims import Facts
from typedtensors.ops import Conflict, Known, Layer, Many, Outcome, Unknown, lookup
from typedtensors.shapes import Axis, Tensor


@dataclass(frozen=True)
class Judgment:
    """How a rule did on one call, or on all of a sample's.

    `shape` and `dtype`: the whole shape and the one dtype, and right. `open`: every size but those
    that are seen to be others when the elements are. `rejected`: it reports a conflict. `faults`
    tell in words what is wrong: another result than torch's, or a conflict where torch has none.
    """

    shape: bool
    dtype: bool
    open: bool = False
    rejected: bool = False
    faults: tuple[str, ...] = ()

    @staticmethod
    def together(parts: Iterable[Judgment]) -> Judgment:
        """Of several calls: as good as the worst of them."""
        found = tuple(parts)
        return Judgment(
            all(part.shape for part in found),
            all(part.dtype for part in found),
            any(part.open for part in found) and all(part.shape or part.open for part in found),
            any(part.rejected for part in found),
            tuple(fault for part in found for fault in part.faults),
        )


def judged(call: Recorded, layer: Callable[[Sight], Layer | None] = lambda _: None) -> Judgment:
    """Judge the rule of a call, in each sight; exactness counts where every size is seen."""
    found = [
        _judged(call, sight, evaluate(call.op, args, kwargs, layer(sight)))
        for sight, args, kwargs in call.seen
    ]
    faults = tuple(fault for each in found for fault in each.faults)
    clear = found[0] if found else Judgment(shape=False, dtype=False)
    return replace(clear, faults=faults)


def evaluate(op: str, args: Any, kwargs: Any, layer: Layer | None = None) -> Outcome:
    """The outcome of the rule of that name; unknown if there is none."""
    rule = lookup(op)
    if rule is None:
        return Unknown("no rule")
    return rule.evaluate(op, args, kwargs, Facts(), layer=layer)


def _judged(call: Recorded, sight: Sight, outcome: Outcome) -> Judgment:
    failed = isinstance(call.result, Raised)
    if isinstance(outcome, Unknown):
        return Judgment(shape=False, dtype=False)
    if isinstance(outcome, Conflict):
        told = "" if failed else f"{call.op}: false alarm: {outcome.diagnostic.text}"
        faults = (told,) if told else ()
        return Judgment(shape=False, dtype=False, rejected=True, faults=faults)
    if failed:
        return Judgment(shape=False, dtype=False)
    scene = Scene(call.op, (), {}, None, sight.sizes)
    if not agrees(scene, outcome.value, call.result, outcome.facts):
        fault = f"{call.op}: wrong: {outcome.value} is {_text(call.result)}"
        return Judgment(shape=False, dtype=False, faults=(fault,))
    exact = _shape_is_known(outcome, outcome.value)
    decided = not exact and _shape_is_known(outcome, outcome.value, [*call.others()])
    return Judgment(exact, _dtype_is_known(outcome.value), decided)


def _shape_is_known(outcome: Known, value: Any, others: Sequence[Any] = ()) -> bool:
    """Whether every size is known, but for those that differ among the `others`."""
    if isinstance(value, Tensor):
        parts = value.shape.axes
        dims = [outcome.facts.resolve(part.dim) for part in parts if isinstance(part, Axis)]
        shapes = [tuple(each.shape) for each in others if isinstance(each, torch.Tensor)]
        return len(dims) == len(parts) and all(
            dim.value is not None or len({shape[at] for shape in shapes}) > 1
            for at, dim in enumerate(dims)
        )
    if isinstance(value, (tuple, list)):
        found = [each for each in others if len(each) == len(value)]
        return all(
            _shape_is_known(outcome, each, [other[at] for other in found])
            for at, each in enumerate(value)
        )
    return not isinstance(value, (Unknown, Many))


def _dtype_is_known(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dtype.exact is not None
    if isinstance(value, (tuple, list)):
        return all(map(_dtype_is_known, value))
    return not isinstance(value, (Unknown, Many))


def _text(actual: Any) -> str:
    if isinstance(actual, (tuple, list)):
        return f"({', '.join(map(_text, actual))})"
    shape = getattr(actual, "shape", None)
    return repr(actual)[:80] if shape is None else f"{tuple(shape)} {actual.dtype}"
