# SPDX-License-Identifier: Apache-2.0
"""torch's test inputs for a module: what its rules say of making and calling it."""

from __future__ import annotations

from typing import Any

import torch

from tests.ops.samples.judging import Judgment, evaluate, judged
from tests.ops.samples.recording import Recorder
from tests.ops.samples.seen import Sight
from typedtensors.ops import Known, Layer, canonical


def judged_module(module: Any, inputs: Any) -> Judgment:
    """Judge the rules of a module on one of its inputs: the constructor's, and the forward's."""
    kind = module.module_cls
    name = canonical(f"{kind.__module__}.{kind.__qualname__}")
    made, given = inputs.constructor_input, inputs.forward_input
    recorder = Recorder()
    with torch.random.fork_rng():
        layer = recorder.record(name, kind, made.args, made.kwargs)
        # A lazy layer is of another class once it is called.
        built = judged(recorder.calls[-1])
        recorder.record(f"{name}.forward", layer, given.args, given.kwargs)

    def seen(sight: Sight) -> Layer | None:
        outcome = evaluate(name, sight.value(tuple(made.args)), sight.value(made.kwargs))
        return outcome.value if isinstance(outcome, Known) else None  # type: ignore[return-value]

    called = judged(recorder.calls[-1], seen)
    return Judgment(called.shape, called.dtype, faults=(*built.faults, *called.faults))
