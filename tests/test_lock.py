# SPDX-License-Identifier: Apache-2.0
"""The development environment is the same for everybody."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import lock

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r'(?P<name>[\w.-]+)==[\w.]+( ; python_version (<|>=) "3\.11")?')


def _lines(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("kind", ["dev", "docs"])
def test_a_lock_holds_exact_pins_and_nothing_else(kind: str) -> None:
    assert [line for line in _lines(f"requirements-{kind}.lock") if not PIN.fullmatch(line)] == []


@pytest.mark.parametrize("kind", ["dev", "docs"])
def test_a_lock_pins_all_that_is_asked_for(kind: str) -> None:
    pinned = {line.partition("==")[0].lower() for line in _lines(f"requirements-{kind}.lock")}
    wanted = {line.partition("==")[0].lower() for line in _lines(f"requirements-{kind}.in")}
    assert wanted
    assert wanted <= pinned


def test_a_pin_on_which_pythons_agree_has_no_marker() -> None:
    oldest = {"einops": "0.8.2", "exceptiongroup": "1.3.2", "numpy": "2.2.6"}
    main = {"einops": "0.8.2", "narwhals": "2.29.0", "numpy": "2.4.6"}
    assert lock.lines(oldest, main) == [
        "einops==0.8.2",
        'exceptiongroup==1.3.2 ; python_version < "3.11"',
        'narwhals==2.29.0 ; python_version >= "3.11"',
        'numpy==2.2.6 ; python_version < "3.11"',
        'numpy==2.4.6 ; python_version >= "3.11"',
    ]
