# SPDX-License-Identifier: Apache-2.0
"""Each broadcast of the examples can be written by name, as the docs show; nothing else changes."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest
import torch

from typedtensors.guard import Report, guard

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)` \| `(.+)` \| `(.+)` \|$", re.MULTILINE)
EDITS = ROW.findall((ROOT / "docs" / "written-out.md").read_text(encoding="utf-8"))
PROGRAMS = sorted({program for program, _, _ in EDITS})


def output_of(path: Path, level: str) -> tuple[str, Report]:
    """What a program prints, and the report of a guard around it."""
    torch.manual_seed(0)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), guard(level, action="record") as report:
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue(), report


def written_out_in(program: str, folder: Path) -> Path:
    """The program with the edits of the docs."""
    source = (ROOT / "examples" / f"{program}.py").read_text(encoding="utf-8")
    for name, before, after in EDITS:
        if name == program:
            assert before in source
            source = source.replace(before, after)
    path = folder / f"{program}.py"
    path.write_text(source.replace("import torch\n", _IMPORTS, 1), encoding="utf-8")
    return path


_IMPORTS = "import torch\nfrom typedtensors import align\n"


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_written_out_program_does_the_same_without_an_event(program: str, tmp_path: Path) -> None:
    before, _ = output_of(ROOT / "examples" / f"{program}.py", "suspicious")
    after, report = output_of(written_out_in(program, tmp_path), "explicit")
    assert [str(event) for event in report.events] == []
    assert after == before


def test_docs_show_all_examples_of_torch() -> None:
    programs = (ROOT / "examples").glob("*.py")
    assert sorted(each.stem for each in programs if "keras" not in each.stem) == PROGRAMS
