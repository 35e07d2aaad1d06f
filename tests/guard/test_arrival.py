# SPDX-License-Identifier: Apache-2.0
"""Who waits for a module is told when it has been imported, in the thread that waits."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from typedtensors.guard.reach.arrival import awaiting

NAME = "arriving"


@pytest.fixture(autouse=True)
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / f"{NAME}.py").write_text("ready = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop(NAME, None)


def test_outer_ones_are_told_first_and_when_the_module_is_ready() -> None:
    told: list[tuple[str, bool]] = []

    def tell(who: str) -> None:
        told.append((who, sys.modules[NAME].ready))

    before = list(sys.meta_path)
    with awaiting({NAME}, lambda _: tell("outer")), awaiting({NAME}, lambda _: tell("inner")):
        module = importlib.import_module(NAME)
        assert told == [("outer", True), ("inner", True)]
    assert sys.meta_path == before
    assert "exec_module" not in vars(module.__loader__)


def test_module_that_fails_is_told_when_it_is_imported_after_all(tmp_path: Path) -> None:
    told: list[str] = []
    path = tmp_path / f"{NAME}.py"
    path.write_text("raise RuntimeError('not now')\n")
    with awaiting({NAME}, told.append):
        with pytest.raises(RuntimeError, match="not now"):
            importlib.import_module(NAME)
        assert told == []
        path.write_text("ready = 'at last'\n")
        importlib.invalidate_caches()
        importlib.import_module(NAME)
    assert told == [NAME]


def test_imports_of_other_threads_and_other_modules_are_theirs() -> None:
    told: list[str] = []
    with awaiting({NAME}, told.append):
        importlib.import_module("colorsys")
        thread = threading.Thread(target=importlib.import_module, args=(NAME,))
        thread.start()
        thread.join()
    assert told == []
    assert sys.modules[NAME].ready
