# SPDX-License-Identifier: Apache-2.0
"""The count of what files call on tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import ops_used

PROGRAM = """\
import torch
import torch.nn.functional as F
from einops import rearrange
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 3)])
        self.to("cpu")

    def forward(self, x, names):
        torch.manual_seed(0)
        with torch.no_grad():
            y = torch.cat([x.view(-1), x.sum(0).view(-1)])
        names.append(y.size(0))
        return F.relu(rearrange(y, "(a b) -> a b", a=2)).to_mkldnn()
"""


def test_functions_methods_and_layers_are_counted_and_nothing_else() -> None:
    assert ops_used.used(PROGRAM) == {
        "torch.nn.ModuleList": 1,
        "torch.nn.Linear": 1,
        "torch.cat": 1,
        "torch.Tensor.view": 2,
        "torch.Tensor.sum": 1,
        "torch.Tensor.size": 1,
        "torch.nn.functional.relu": 1,
        "einops.rearrange": 1,
        "torch.Tensor.to_mkldnn": 1,
    }


def test_what_has_no_rule_counts_against_the_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.py").write_text(PROGRAM)
    monkeypatch.setattr("sys.argv", ["ops_used", str(tmp_path / "net.py")])
    assert ops_used.main() == 1
    said = capsys.readouterr().out
    assert "no rule  torch.Tensor.to_mkldnn" in said
    assert "90.0% of 10 calls of 9 names" in said
