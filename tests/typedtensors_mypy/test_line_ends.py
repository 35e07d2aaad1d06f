# SPDX-License-Identifier: Apache-2.0
"""Findings stand on Python's lines, whatever else in a file might end a line."""

from __future__ import annotations

from pathlib import Path

from tests.case_build import run_mypy
from tests.typedtensors_mypy.stubs import CONFIG, write_stubs

PROGRAM = """\
# A loss
from jaxtyping import Float
from torch import Tensor

NAME = "error"


def error(x: Float[Tensor, "n 1"], y: Float[Tensor, "n"]):
    return x - y


def ignored(x: Float[Tensor, "n 1"], y: Float[Tensor, "n"]):
    return x - y  # type: ignore[tensor-broadcast]
"""

SOURCES = {
    "newlines": PROGRAM,
    "carriage_returns_and_newlines": PROGRAM.replace("\n", "\r\n"),
    "carriage_returns": PROGRAM.replace("\n", "\r"),
    "form_feeds_between_functions": PROGRAM.replace("\n\n\n", "\n\x0c\n\n"),
    "a_separator_in_a_comment": PROGRAM.replace("A loss", "A\u2028loss"),
    "any_in_a_string": PROGRAM.replace('"error"', '"\x0b\x1c\x85\u2029"'),
    "a_byte_order_mark": "\ufeff" + PROGRAM,
    "no_newline_at_the_end": PROGRAM.rstrip("\n"),
}


def test_a_finding_stands_on_the_line_that_python_counts(tmp_path: Path) -> None:
    folder, stubs = tmp_path / "project", write_stubs(tmp_path / "stubs")
    folder.mkdir()
    for name, source in SOURCES.items():
        (folder / f"{name}.py").write_bytes(source.encode())
    said = run_mypy(folder, tmp_path / "cache", config=CONFIG.format(stubs=stubs))
    places = {(message.path, message.line, message.code) for message in said}
    assert places == {(f"{name}.py", 9, "tensor-broadcast") for name in SOURCES}
