# SPDX-License-Identifier: Apache-2.0
"""How the rules did on torch's test inputs, counted for each entry of its databases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.ops.frameworks import Raised
from tests.ops.samples import torch_inputs
from tests.ops.samples.judging import Judgment, judged
from tests.ops.samples.modules import judged_module
from tests.ops.samples.recording import Recorded, is_private
from typedtensors.ops.catalog.samples import Counts

SHAPE_ERRORS = Path(__file__).with_name("shape_errors.txt")


@cache
def shape_errors() -> Mapping[str, str]:
    """The raising calls whose message is about shapes, by op and number."""
    lines = SHAPE_ERRORS.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(": ") for line in lines if not line.startswith("#"))
    return {name: message for name, _, message in pairs}


def judged_samples(
    op: Any, limit: int | None = None, dtypes: int | None = None
) -> Iterator[Judgment]:
    """How each sample of an op is judged; none of an op without a name that people write."""
    for calls in torch_inputs.samples(op, limit, dtypes):
        if any(is_private(call.op) for call in calls):
            return
        if calls and not isinstance(calls[-1].result, Raised):
            yield Judgment.together(map(judged, calls))


def rejected(calls: list[Recorded]) -> bool:
    """Whether a rule reports one of the calls behind an error."""
    return any(judged(call).rejected for call in calls)


def count_errors(op: Any) -> Mapping[str, bool]:
    """Of the raising calls of an op that are about shapes, whether each is reported."""
    found = torch_inputs.errors(op)
    return {name: rejected(calls) for name, calls in found if name in shape_errors()}


def count(judgments: Iterator[Judgment], errors: Mapping[str, bool]) -> Counts:
    """The counts of one entry."""
    found = list(judgments)
    return Counts(
        samples=len(found),
        shape=sum(each.shape for each in found),
        dtype=sum(each.dtype for each in found),
        open=sum(each.open for each in found),
        faults=sum(bool(each.faults) for each in found),
        raising=len(errors),
        rejected=sum(errors.values()),
    )


def count_all() -> tuple[dict[str, Counts], list[str]]:
    """The counts of every op and module that has inputs, and what is wrong, in words."""
    found: dict[str, Counts] = {}
    faults: list[str] = []
    for op in torch_inputs.ops():
        judgments = [*judged_samples(op)]
        if judgments:
            found[torch_inputs.name_of(op)] = count(iter(judgments), count_errors(op))
        faults += [fault for each in judgments for fault in each.faults]
    for module in torch_inputs.modules():
        judgments = [judged_module(module, each) for each in torch_inputs.module_inputs(module)]
        found[module.name] = count(iter(judgments), {})
        faults += [fault for each in judgments for fault in each.faults]
    return found, faults
