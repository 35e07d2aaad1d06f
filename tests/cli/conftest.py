# SPDX-License-Identifier: Apache-2.0
"""A project to run the commands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case_build import environment


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Path:
    """An empty project, which is the current folder, and a cache that the tests share."""
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    monkeypatch.setenv("MYPY_CACHE_DIR", str(request.config.cache.mkdir("mypy-check")))
    return tmp_path
