# SPDX-License-Identifier: Apache-2.0
"""`typedtensors explain`."""

from __future__ import annotations

import pytest

from typedtensors.cli import main
from typedtensors.diagnostics import codes


@pytest.mark.parametrize("code", [code.name for code in codes.ALL])
def test_every_code_has_a_page(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code]) == 0
    assert code in capsys.readouterr().out


@pytest.mark.parametrize("asked", ["shape", "[tensor-shape]"])
def test_a_code_may_be_written_as_it_comes_to_hand(
    asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["explain", "tensor-shape"])
    page = capsys.readouterr().out
    assert main(["explain", asked]) == 0
    assert capsys.readouterr().out == page


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("tensor-shpae", "tensor-shape"), ("brodcast", "tensor-broadcast")],
)
def test_a_slip_gets_a_suggestion(
    asked: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", asked]) == 2
    error = capsys.readouterr().err
    assert error == f"typedtensors explain: unknown code `{asked}`, did you mean `{meant}`?\n"
