# SPDX-License-Identifier: Apache-2.0
"""Syntax that is newer than the oldest Python of ours is read where Python itself can read it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.case_build import run_mypy
from tests.typedtensors_mypy.stubs import CONFIG, write_stubs

HEAD = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor, nn\n"
PROGRAMS = {
    (3, 11): """\
def f(x: Float[Tensor, "b"], *rest: *tuple[int, ...]) -> Float[Tensor, "b"]:
    try:
        x[*rest]
    except* ValueError:
        pass
    return x - x[1:]  # E
""",
    (3, 12): """\
type Batch = Float[Tensor, "b d"]
type Pair[T] = tuple[T, Float[Tensor, "n"]]


class Box[T: Tensor, *Ts, **P]:
    def __init__(self, item: T, *rest: *Ts) -> None:
        self.item = item

    def get[U](self, other: U) -> U:
        return other


def first[T](x: T, *args: *tuple[int, ...]) -> T:
    return x


def f(x: Batch, y: Pair[Tensor]) -> Batch:
    print(f"{x.sum(1)!r:>{10}} {"nested" + f"{'deep'}"}")
    return first(x)[0]  # E


def g(x: Batch, y: Float[Tensor, "c"]) -> Tensor:
    return first(x).sum(1) - y  # E
""",
    (3, 13): """\
from typing import ReadOnly, TypedDict, TypeIs

type Batch[T = Tensor] = Float[Tensor, "b d"]


class Box[T = Tensor]:
    item: T


class Record(TypedDict):
    x: ReadOnly[Float[Tensor, "b"]]


def is_array(x: object) -> TypeIs[Tensor]:
    return True


def f(x: Batch, y: Float[Tensor, "c"]) -> Tensor:
    return x.sum(1) - y  # E
""",
}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            source,
            id=".".join(map(str, version)),
            marks=pytest.mark.skipif(sys.version_info < version, reason="this Python is older"),
        )
        for version, source in PROGRAMS.items()
    ],
)
def test_new_syntax_is_followed_cold_and_warm(source: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "program.py").write_text(HEAD + source)
    (project / "user.py").write_text("from program import f\n\nf\n")
    config = CONFIG.format(stubs=write_stubs(tmp_path / "stubs"))
    lines = (HEAD + source).splitlines()
    wrong = [number for number, line in enumerate(lines, start=1) if line.endswith("# E")]
    for _ in range(2):
        said = run_mypy(project, tmp_path / "cache", config=config)
        ours = [each.line for each in said if (each.code or "").startswith("tensor-")]
        assert ours == wrong
