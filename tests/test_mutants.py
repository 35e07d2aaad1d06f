# SPDX-License-Identifier: Apache-2.0
"""Mistakes of one line, made in annotated code, and whether they are found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.mutants.__main__ import main
from tools.mutants.edits import edits

SOURCE = """\
import torch
from jaxtyping import Float
from torch import Tensor


def weigh(x: Float[Tensor, "batch n d"], w: Float[Tensor, "batch n"]) -> Float[Tensor, "batch d"]:
    return (x * w[..., None]).sum(1)


def unannotated(x):
    return x.sum(1)
"""


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        pytest.param("x.sum(-1)", ["x.sum(-2)"], id="axis"),
        pytest.param("x.max(dim=1, keepdim=True)", ["dim=0", "keepdim=False"], id="keywords"),
        pytest.param("torch.cat([x, y], dim=0)", ["dim=1"], id="joined"),
        pytest.param("x.unsqueeze(1)", ["x"], id="unsqueeze"),
        pytest.param("x[:, None]", ["x[:]"], id="new axis"),
        pytest.param("x[..., 0]", ["x[..., :]"], id="index"),
        pytest.param("x @ y", ["y @ x"], id="matmul"),
        pytest.param("x.view(b, n, 3)", ["x.view(n, b, 3)"], id="view"),
        pytest.param("x.transpose(1, 2)", ["x"], id="transpose"),
        pytest.param("nn.Linear(d, k, bias=False)", ["nn.Linear(k, d, bias=False)"], id="layer"),
        pytest.param("torch.zeros(b, 3)", ["4"], id="literal"),
        pytest.param("rearrange(x, 'a b -> b a')", ["a b -> a b"], id="einops"),
        pytest.param("einsum('ij,jk->ik', x, y)", ["ij,jk->ki"], id="einsum"),
        pytest.param("x.softmax(-1)", [], id="what keeps the shape"),
        pytest.param("x.view(*shape, 3)", [], id="sizes that are not written out"),
    ],
)
def test_a_mistake_is_made_where_one_could_be(source: str, mutants: list[str]) -> None:
    (node,) = (each.value for each in ast.parse(source).body if isinstance(each, ast.Expr))
    made = [edit for part in ast.walk(node) for edit in edits(part)]
    assert len(made) == len(mutants)
    for edit, wanted in zip(made, mutants, strict=True):
        assert edit.text.strip("'()") in wanted or wanted in edit.text


def test_mutants_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = tmp_path / "dist" / "pkg"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(SOURCE)
    assert main([str(tmp_path / "dist"), "--missed"]) == 0
    said = capsys.readouterr().out
    assert "reduced along another axis" in said
    assert "pkg:10" not in said  # nothing annotates it
    assert "strong mutants found" in said
