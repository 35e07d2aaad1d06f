# SPDX-License-Identifier: Apache-2.0
"""The command's front door."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.case_build import environment
from typedtensors import __version__
from typedtensors.cli import main


def test_without_a_verb_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr().err
    assert all(f"    {verb} " in shown for verb in ("check", "run", "explain", "doctor"))


def test_version_names_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"typedtensors {__version__}\n"


@pytest.mark.parametrize("verb", ["check", "run", "explain", "doctor"])
def test_the_help_of_a_verb_shows_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    assert f"examples:\n  typedtensors {verb} " in capsys.readouterr().out


def test_an_unknown_verb_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["chekc"])
    assert stop.value.code == 2
    assert "'chekc'" in capsys.readouterr().err


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "typedtensors", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    assert done.stdout.startswith("typedtensors ")
