# SPDX-License-Identifier: Apache-2.0
"""A guard accepts what the helpers made, at its strictest level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.case_build import ROOT
from tests.case_files import read_cases
from tests.typedtensors_mypy.programs import findings
from typedtensors import align, expand, expand_as, guard
from typedtensors.config import Config

WRITTEN_OUT = [
    case.files["main.py"]
    for case in read_cases(ROOT / "docs" / "broadcasts.md")
    if case.name.startswith("writing_every_broadcast_out")
]


@pytest.mark.parametrize(
    "meet",
    [
        pytest.param(lambda x, w: x * align(w, "b", to="b d"), id="align"),
        pytest.param(lambda x, w: x * expand_as(w, "d", x, "b d"), id="expand_as"),
        pytest.param(lambda x, w: x[None] * expand(w, "d -> b d", b=4), id="expand"),
    ],
)
def test_a_broadcast_by_name_is_no_event(meet: Callable[[Tensor, Tensor], Tensor]) -> None:
    with guard("explicit", action="record") as report:
        meet(torch.ones(4, 4), torch.ones(4))
    assert report.events == []


def test_the_same_broadcast_by_position_is_one() -> None:
    with guard("explicit", action="record") as report:
        torch.ones(4, 4) * torch.ones(4)
    assert len(report.events) == 1


def test_an_array_that_was_in_place_already_is_still_watched() -> None:
    w = torch.ones(4)
    with guard("explicit", action="record") as report:
        assert align(w, "d", to="d") is w
        torch.ones(4, 4) * w
    assert len(report.events) == 1


def test_under_a_guard_a_helper_compiles_into_one_graph() -> None:
    def scale(x: Tensor, w: Tensor) -> Tensor:
        return x * align(w, "b", to="b d")

    x, w = torch.randn(4, 3), torch.randn(4)
    with guard("explicit", action="record"):
        compiled = torch.compile(scale, backend="eager", fullgraph=True)(x, w)
    assert torch.equal(compiled, scale(x, w))


def test_the_docs_show_how_each_broadcast_is_written_out() -> None:
    x, bias, scale, hidden = (
        torch.rand(4, 5, 3),
        torch.rand(3),
        torch.rand(4),
        torch.rand(4, 5) > 0.5,
    )
    results, told, seen = [], [], []
    for source in WRITTEN_OUT:
        told.append([found.text for found in findings(source, Config(broadcasts="explicit"))])
        names: dict[str, Any] = {"__name__": "example"}
        exec(compile(source, "<docs>", "exec"), names)  # noqa: S102 - our own text
        with guard("explicit", action="record") as report:
            results.append(names["scaled"](x, bias, scale, hidden))
        seen.append(report.events)
    before, after = results
    assert torch.equal(before, after)
    assert ([len(each) for each in told], [len(each) for each in seen]) == ([3, 0], [3, 0])
