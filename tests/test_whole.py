# SPDX-License-Identifier: Apache-2.0
"""Whole libraries, checked as if they were the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import whole


def test_every_module_of_a_folder_is_checked(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("from pkg.a import f\n")
    (package / "a.py").write_text("def f(x):\n    return x + 1\n")
    (package / "broken.py").write_text("def\n")
    files = whole.Files(whole.modules([package]))
    assert [*files.paths] == ["pkg", "pkg.a", "pkg.broken"]
    outcomes = [whole.check(files, name) for name in files.paths]
    assert [outcome and outcome.lines for outcome in outcomes] == [1, 2, None]


def test_a_crash_is_told_with_the_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyError

    monkeypatch.setattr(whole, "check_module", crash)
    (tmp_path / "a.py").write_text("x = 1\n")
    assert whole.main([str(tmp_path / "a.py")]) == 1


@pytest.mark.slow
def test_torch_and_the_standard_library_are_gone_through(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with capsys.disabled():
        assert whole.main([]) == 0
