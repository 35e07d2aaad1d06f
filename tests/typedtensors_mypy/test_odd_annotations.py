# SPDX-License-Identifier: Apache-2.0
"""Annotations as nobody should write them: what jaxtyping rejects is told, and nothing crashes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.case_build import Message, run_mypy
from tests.typedtensors_mypy.programs import findings
from tests.typedtensors_mypy.stubs import CONFIG, write_stubs

HEADER = """\
import jaxtyping
import numpy as np
import torch
from typing import Any, Optional, TypeVar, Union
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

T = TypeVar("T")
SPEC = "b d"
FIVE = 5
Batch = Float[Tensor, "b d"]


def make(text):
    return text


"""
REJECTED = [
    "Float[Tensor]",
    "Float[()]",
    "Float[...]",
    'Float["b d"]',
    'Float["b d"][Tensor]',
    'Float(Tensor, "b d")',
    'Float[Tensor, "b", "d"]',
    "Float[Tensor, 5, 5]",
    'Float["b d", Tensor]',
    'Float["Tensor", "b d"]',
    'Float["b d", "b d"]',
    "Float[Tensor, ...]",
    "Float[Float, ...]",
    "Float[Tensor, 5]",
    "Float[Tensor, FIVE]",
    "Float[Tensor, -1]",
    "Float[Tensor, 3.5]",
    "Float[Tensor, True]",
    "Float[Tensor, None]",
    'Float[Tensor, b"b d"]',
    'Float[Tensor, ("b", "d")]',
    'Float[Tensor, ["b", 5]]',
    'Float[Tensor, "b":"d"]',
    "Float[Tensor, Tensor]",
    'Float[None, "b"]',
    'Float[torch.float32, "b"]',
    'Float[int, ""]',
    'Float[float, "b"]',
    'Float[bool, "..."]',
    'Int[Batch, "t"]',
    'Bool[Float[Tensor, "b"], "t"]',
    "tuple[Float[Tensor, 5], int]",
    "None | Float[Tensor, 5]",
    'Float[Tensor, "batch, d"]',
    'Float[Tensor, f"batch, {FIVE}"]',
    'Float[Tensor, "*b *d"]',
    'Float[Tensor, "#" + "#b"]',
]
ACCEPTED = [
    "Float",
    'Float[Float, "..."]',
    'Bool[Shaped, "n"]',
    'Shaped[Batch, ""]',
    'Float[Tensor, ""]',
    'Float[Tensor, " "]',
    'Float[Tensor, "  b   d "]',
    'Float[Tensor, "b\\td\\nc"]',
    "Float[Tensor, SPEC]",
    "Float[Tensor, SPEC + ' c']",
    'Float[Tensor, "b " "d"]',
    'Float[Tensor, f"{FIVE} d"]',
    'Float[Tensor, f"{make(SPEC)} d"]',
    'Float[Tensor, "b %d" % 3]',
    "Float[Tensor, make(SPEC)]",
    "Float[Tensor, SPEC if FIVE else SPEC]",
    'Float[Tensor, "größe 批次"]',
    'Float[Any, "b"]',
    'Float[T, "b"]',
    'Float[float, ""]',
    'Int[int, "..."]',
    'Float[np.float32, "b"]',
    'Float[np.ndarray[Any, Any], "b"]',
    'Float[Union[Tensor, np.ndarray], "b"]',
    'Float[Tensor | None, "b"]',
    "lambda: 3",
    f'Float[Tensor, "{"a " * 5_000}"]',
    f'Float[Tensor, "{"a" * 10_000}"]',
]
# jaxtyping takes these too; they cannot be meant.
SILENT = [
    'Float[Tensor, "3C"]',
    'Float[Tensor, "b torch.long"]',
    'Float[Tensor, "😀"]',
    'Float[Tensor, "n+_"]',
    f'Float[Tensor, "{"+".join(["a"] * 5_000)}"]',
    f'Float[Tensor, "{"(" * 5_000}a{")" * 5_000}"]',
    f'Float[Tensor, "{"9" * 5_000}"]',
]
_FIX = re.compile(r"fix: (\w+\[.*\])$")


def is_rejected(annotation: str) -> bool:
    """Whether jaxtyping fails where the annotation is evaluated."""
    names: dict[str, object] = {}
    exec(HEADER, names)  # noqa: S102 - of our own making, as are the annotations
    try:
        eval(annotation, names)  # noqa: S307
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return True
    return False


def told(annotation: str) -> list[str]:
    """What is said of a parameter with this annotation."""
    found = findings(f"{HEADER}def f(x: {annotation}) -> None: ...\n")
    assert {each.code.name for each in found if each.code} <= {"tensor-spec"}
    return [each.text for each in found]


def _short(annotation: str) -> str:
    return annotation[:40]


@pytest.mark.parametrize("annotation", REJECTED, ids=_short)
def test_what_jaxtyping_rejects_is_told_once(annotation: str) -> None:
    assert is_rejected(annotation)
    assert len(told(annotation)) == 1


@pytest.mark.parametrize("annotation", REJECTED, ids=_short)
def test_a_fix_is_an_annotation_that_jaxtyping_takes(annotation: str) -> None:
    for text in told(annotation):
        fix = _FIX.search(text)
        assert fix is None or not is_rejected(fix[1])


def test_most_of_them_come_with_a_fix() -> None:
    assert sum("; fix: " in text for each in REJECTED for text in told(each)) > 0.7 * len(REJECTED)


@pytest.mark.parametrize("annotation", ACCEPTED, ids=_short)
def test_what_jaxtyping_takes_is_not_told(annotation: str) -> None:
    assert not is_rejected(annotation)
    assert told(annotation) == []


@pytest.mark.parametrize("annotation", SILENT, ids=_short)
def test_what_cannot_be_meant_is_told_in_few_words(annotation: str) -> None:
    assert not is_rejected(annotation)
    (text,) = told(annotation)
    assert len(text) < 1_000


def test_mypy_says_of_all_of_them_what_it_says_without_the_plugin(tmp_path: Path) -> None:
    """In functions, in classes, as variables and as aliases; quoted, too."""
    every = [*REJECTED, *ACCEPTED, *SILENT]
    lines = [HEADER]
    for number, each in enumerate(every):
        lines += [f"def f{number}(x: {each}) -> {each}: ...", f"A{number} = {each}"]
        lines += [f"class C{number}:", f"    x: {each}", f"y{number}: {each!r}"]
    project = tmp_path / "project"
    project.mkdir()
    (project / "odd.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    config = CONFIG.format(stubs=write_stubs(tmp_path / "stubs"))
    with_plugin = run_mypy(project, tmp_path / "with", config=config)
    plain = config.replace("plugins = typedtensors_mypy\n", "")
    without = run_mypy(project, tmp_path / "without", config=plain)
    assert without
    assert [each for each in with_plugin if not _is_ours(each)] == without
    assert sum(map(_is_ours, with_plugin)) > 3 * len(REJECTED)


def _is_ours(message: Message) -> bool:
    return (message.code or "").startswith("tensor-")
