# SPDX-License-Identifier: Apache-2.0
"""Whatever a run can save, it says what a run from nothing says: after each edit, and its revert.

The project of these tests has findings that rest on other modules, and one that rests on none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from pathlib import Path

import pytest

from tests.typedtensors_mypy.runs import DaemonRun, Run
from tests.typedtensors_mypy.stubs import CONFIG, write_stubs

PROJECT = {
    "shapes.py": """\
from jaxtyping import Float
from torch import Tensor

Batch = Float[Tensor, "32 10"]
""",
    "config.py": """\
from dataclasses import dataclass


@dataclass
class Config:
    width: int = 10
""",
    "data.py": """\
import torch
from jaxtyping import Float, Int
from torch import Tensor


def targets() -> Float[Tensor, "32"]:
    return torch.zeros(32)


def index(table: Int[Tensor, "32"]) -> Int[Tensor, "32"]:
    return table
""",
    "model.py": """\
from jaxtyping import Float
from torch import Tensor, nn

from config import Config


class Net(nn.Module):
    def __init__(self, width: int = Config.width) -> None:
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def forward(self, x):
        return self.layer(x)


class Head(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, x: Float[Tensor, "b d"]) -> Float[Tensor, "b 1"]:
        return nn.Linear(self.width, 1)(x)
""",
    # Functions without annotations, and nothing else.
    "plain.py": """\
def total(x):
    return x.sum(1)
""",
    "train.py": """\
from jaxtyping import Float, Int
from torch import Tensor

from data import index, targets
from model import Head, Net
from plain import total
from shapes import Batch


def train(batch: Batch):
    pred = Net()(batch)
    return ((pred - targets()) ** 2).mean()


def look_up(table: Int[Tensor, "32"]) -> Int[Tensor, "16"]:
    return index(table)


def score(batch: Batch) -> Float[Tensor, "32 1"]:
    return Head(11)(batch)


def summed(batch: Batch) -> Float[Tensor, "10"]:
    return total(batch)
""",
    # Reads no module of the project, so no edit reaches it; has an error of mypy's, too.
    "apart.py": """\
from jaxtyping import Float
from torch import Tensor


def apart(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> int:
    return ((pred - y) ** 2).mean()


def used(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]) -> Tensor:
    return ((pred - y) ** 2).mean()  # type: ignore[tensor-broadcast]
""",
    "unread.py": "width = 3\n",
}


@dataclass(frozen=True)
class Edit:
    """An edit of one file: a replaced text, a new name, or None for neither: it is deleted."""

    file: str
    old: str = ""
    new: str | None = None
    moved_to: str | None = None

    def apply(self, folder: Path) -> None:
        place = folder / self.file
        if self.moved_to is not None:
            (folder / self.moved_to).parent.mkdir(exist_ok=True)
            place.rename(folder / self.moved_to)
        elif self.new is None:
            place.unlink()
        else:
            text = place.read_text()
            assert self.old in text
            _write(place, text.replace(self.old, self.new))

    def revert(self, folder: Path) -> None:
        if self.moved_to is not None:
            (folder / self.moved_to).unlink()
            if (folder / self.moved_to).parent != folder:
                (folder / self.moved_to).parent.rmdir()
        _write(folder / self.file, PROJECT[self.file])


# The clock of the edits. mypy looks at whole seconds: of the same size, an edit within one would
# be missed.
_seconds = count(int(time.time()) + 3600, 2)


def _write(place: Path, text: str) -> None:
    place.write_text(text)
    now = next(_seconds)
    os.utime(place, (now, now))


SIGNATURE = Edit(
    "data.py",
    '"32"]:\n    return torch.zeros(32)',
    '"32 1"]:\n    return torch.zeros(32, 1)',
)
ALIAS = Edit("shapes.py", "32 10", "32 12")
LAYER_SIZE = Edit("model.py", "width, 1", "width, 2")
# What these change is said of another module.
FAR_REACHING = {
    "signature": (SIGNATURE,),
    "alias": (ALIAS,),
    "layer-size": (LAYER_SIZE,),
    "config-default": (Edit("config.py", "10", "12"),),
    "dtype": (Edit("data.py", "index(table: Int", "index(table: Float"),),
    "method-body": (Edit("model.py", "self.width, 1", "self.width - 1, 1"),),
    "untyped-body": (Edit("plain.py", "sum(1)", "sum(0)"),),
    "two-files": (SIGNATURE, LAYER_SIZE),
    "deleted": (Edit("data.py"),),
    "renamed": (Edit("data.py", moved_to="renamed.py"),),
    "deleted-untyped": (Edit("plain.py"),),
    "syntax-error": (Edit("config.py", "class", "clas"),),
}
EDITS = {
    **FAR_REACHING,
    "nothing": (Edit("unread.py", "width", "width"),),
    "same-file": (Edit("train.py", '"16"', '"32"'),),
    "both-ends": (ALIAS, Edit("train.py", "def look_up", "\n\ndef look_up")),
    "became-a-package": (Edit("data.py", moved_to="data/__init__.py"),),
    "deleted-unread": (Edit("unread.py"),),
}
Edits = tuple[Edit, ...]

Runs = Run | DaemonRun
_SLOW = pytest.mark.slow
RUNS = [
    pytest.param(Run, id="warm"),
    pytest.param(DaemonRun, id="dmypy-check"),
    pytest.param(partial(DaemonRun, again=True), id="dmypy-recheck", marks=_SLOW),
    pytest.param(partial(DaemonRun, suggest="train.train"), id="dmypy-suggest", marks=_SLOW),
    pytest.param(partial(Run, flags=["-n", "2"]), id="workers", marks=_SLOW),
    pytest.param(partial(Run, flags=["--no-sqlite-cache"]), id="files", marks=_SLOW),
    pytest.param(partial(Run, flags=["--no-fixed-format-cache"]), id="json", marks=_SLOW),
    pytest.param(partial(Run, flags=["--cache-fine-grained"]), id="fine-grained", marks=_SLOW),
]


def _lay_out(folder: Path) -> Path:
    stubs = write_stubs(folder / "stubs")
    project = folder / "project"
    project.mkdir()
    for name, source in PROJECT.items():
        (project / name).write_text(source)
    options = "warn_unused_ignores = True\n"
    (project / "mypy.ini").write_text(CONFIG.format(stubs=stubs) + options)
    return project


Cold = Callable[[Edits], list[str]]


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Cold:
    """What a run from nothing says of the project with these edits."""

    @cache
    def run(edits: Edits) -> list[str]:
        folder = tmp_path_factory.mktemp("cold")
        project = _lay_out(folder)
        for edit in edits:
            edit.apply(project)
        return Run(project, folder / "cache")()

    return run


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """A kind of run, which has seen the project once."""
    folder = tmp_path_factory.mktemp("runs")
    runs = request.param(_lay_out(folder), folder / "cache")
    runs()
    yield runs
    runs.close()


def _by_file(lines: Sequence[str]) -> dict[str, list[str]]:
    """The lines of each file in their order; mypy tells first of the files that it has cached."""
    files: dict[str, list[str]] = {}
    for line in lines:
        files.setdefault(line.partition(":")[0], []).append(line)
    return files


def _same(said: list[str], cold: list[str]) -> None:
    assert _by_file(said) == _by_file(cold)


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_a_run_after_an_edit_and_its_revert_says_what_a_cold_one_says(
    run: Runs, edits: Edits, cold: Cold
) -> None:
    try:
        for edit in edits:
            edit.apply(run.folder)
        after = run()
    finally:
        for edit in edits:
            edit.revert(run.folder)
    reverted = run()
    _same(after, cold(edits))
    _same(reverted, cold(()))


@pytest.mark.parametrize("edits", FAR_REACHING.values(), ids=FAR_REACHING)
def test_each_of_these_edits_changes_what_is_said(edits: Edits, cold: Cold) -> None:
    assert cold(edits) != cold(())
