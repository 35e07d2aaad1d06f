# SPDX-License-Identifier: Apache-2.0
"""A program with the fix written in runs under the same guard without a word."""

from __future__ import annotations

import functools
import itertools
import linecache
import operator
import re

import pytest
import torch
from hypothesis import given, reject, strategies as st
from torch import Tensor

from typedtensors.guard import GuardEvent, guard

pytestmark = pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")

PROGRAMS = {"`p - y`": "{p} - {y}", "a loss": "torch.nn.functional.mse_loss({p}, {y})"}
numbers = itertools.count()
shapes = st.lists(st.sampled_from([1, 1, 2, 3]), max_size=3).map(tuple)


def events(expression: str, level: str, p: Tensor, y: Tensor) -> list[GuardEvent]:
    """What a guard reports of the expression, which has a source of its own."""
    file, source = f"<program {next(numbers)}>", f"def program(p, y):\n    return {expression}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, object] = {"torch": torch, "functools": functools, "operator": operator}
    exec(compile(source, file, "exec"), names)  # noqa: S102 - the test's own source
    with guard(level, action="record") as report:
        names["program"](p, y)  # type: ignore[operator]
    del linecache.cache[file]
    return report.events


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("level", ["suspicious", "explicit"])
@given(left=shapes, right=shapes)
def test_each_fix_cures(program: str, level: str, left: tuple[int], right: tuple[int]) -> None:
    p, y = torch.ones(left), torch.ones(right)
    try:
        found = events(program.format(p="p", y="y"), level, p, y)
    except RuntimeError:
        reject()
    for fix in found[0].fix.split(" or ") if found and found[0].fix else ():
        (edited,) = re.findall(r"`([^`]+)`", fix)
        name = edited[0]
        assert events(program.format(**{"p": "p", "y": "y", name: edited}), level, p, y) == []


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "p / p.norm(dim=(1, 2)).clamp(min=0.1)",
            "p.norm(dim=(1, 2), keepdim=True).clamp(min=0.1)",
        ),
        ("p - p.mean(-1)", "p.mean(-1, keepdim=True)"),
        ("p - torch.amax(p, 1)", "torch.amax(p, 1, keepdim=True)"),
    ],
)
def test_reduction_that_should_keep_its_axes(program: str, expected: str) -> None:
    cube = torch.rand(3, 3, 3)
    (event,) = events(program, "suspicious", cube, cube)
    assert event.fix is not None
    assert event.fix.startswith(f"`{expected}`")


@pytest.mark.parametrize(
    "program",
    [
        "operator.sub(p, y)",
        "torch.Tensor.sub(p, y)",
        "torch.subtract(p, y)",
        "p.sub(y)",
        "p.__sub__(y)",
    ],
)
def test_operands_are_read_from_any_call_of_the_operation(program: str) -> None:
    (event,) = events(program, "suspicious", torch.ones(4, 1), torch.ones(4))
    assert event.fix == "`p.squeeze(-1)` or `y.unsqueeze(-1)`"


@pytest.mark.parametrize(
    "program",
    ["list(map(torch.sub, [p], [y]))", "functools.reduce(torch.sub, [p, y])", "sum([p, y])"],
)
def test_arguments_of_another_function_are_not_taken_for_the_operands(program: str) -> None:
    (event,) = events(program, "suspicious", torch.ones(4, 1), torch.ones(4))
    assert event.fix is not None
    assert event.fix.startswith("`.squeeze(-1)` on the operand of shape (4, 1)")
