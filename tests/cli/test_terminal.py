# SPDX-License-Identifier: Apache-2.0
"""Colors on a terminal, none elsewhere."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.case_build import environment
from typedtensors.cli import main
from typedtensors.cli.terminal import Style, is_interactive, paint


class Terminal(io.StringIO):
    """A stream that ends at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal with colors."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def run(terminal: Terminal, *arguments: str) -> int:
    """Run the command, its output on the terminal."""
    with redirect_stdout(terminal):
        return main(arguments)


def test_a_terminal_shows_colors_and_a_file_none(terminal: Terminal) -> None:
    assert is_interactive(terminal)
    assert not is_interactive(io.StringIO())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_switches_colors_off(
    name: str, value: str, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert not is_interactive(terminal)


def test_a_style_is_closed_after_the_text() -> None:
    assert paint("x", Style.BOLD, on=True) == "\x1b[1mx\x1b[0m"
    assert paint("x", Style.BOLD, on=False) == "x"


def test_a_page_is_set_as_a_page(terminal: Terminal) -> None:
    assert run(terminal, "explain", "tensor-rank") == 0
    assert "# tensor-rank" not in terminal.getvalue()
    assert "tensor-rank" in terminal.getvalue()


def test_without_rich_a_page_is_plain(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert run(terminal, "explain", "tensor-rank") == 0
    assert terminal.getvalue().startswith("# tensor-rank\n")


def test_a_finding_on_a_terminal_comes_with_its_line(
    terminal: Terminal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    monkeypatch.setenv("MYPY_CACHE_DIR", str(request.config.cache.mkdir("mypy-check")))
    line = "loss = torch.ones(4, 1) - torch.ones(4)"
    (tmp_path / "train.py").write_text(f"import torch\n{line}\n")
    assert run(terminal, "check", "train.py") == 1
    first, second = terminal.getvalue().splitlines()
    assert first.startswith("\x1b[1mtrain.py:2:\x1b[0m \x1b[1;31merror:\x1b[0m ")
    assert line in second
