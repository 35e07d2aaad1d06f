# SPDX-License-Identifier: Apache-2.0
"""Whatever a run can save, it says what a run from nothing says: after each edit, and its revert.

The project of these tests has findings that rest on other modules, and one that rests on none.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.case_build import ROOT
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
from torch import nn

from config import Config


class Net(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.layer = nn.Linear(config.width, 1)

    def forward(self, x):
        return self.layer(x)
""",
    "train.py": """\
from jaxtyping import Int
from torch import Tensor

from config import Config
from data import index, targets
from model import Net
from shapes import Batch


def train(batch: Batch):
    pred = Net(Config())(batch)
    return ((pred - targets()) ** 2).mean()


def look_up(table: Int[Tensor, "32"]) -> Int[Tensor, "16"]:
    return index(table)
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
            place.write_text(text.replace(self.old, self.new))

    def revert(self, folder: Path) -> None:
        if self.moved_to is not None:
            (folder / self.moved_to).unlink()
            if (folder / self.moved_to).parent != folder:
                (folder / self.moved_to).parent.rmdir()
        (folder / self.file).write_text(PROJECT[self.file])


EDITS = {
    "nothing": Edit("unread.py", "width", "width"),
    "signature": Edit("data.py", '"32"]:\n    return torch.zeros(32)', '"32 1"]:\n    return torch.zeros(32, 1)'),
    "alias": Edit("shapes.py", "32 10", "32 12"),
    "layer-size": Edit("model.py", "width, 1", "width, 2"),
    "config-default": Edit("config.py", "10", "12"),
    "dtype": Edit("data.py", 'index(table: Int', 'index(table: Float'),
    "same-file": Edit("train.py", '"16"', '"32"'),
    "blank-line": Edit("train.py", "def look_up", "\n\ndef look_up"),
    "used-elsewhere": Edit("train.py", "index(table)", "index(Net(table))"),
    "moved": Edit("data.py", moved_to="data/__init__.py"),
    "renamed": Edit("data.py", moved_to="renamed.py"),
    "deleted": Edit("data.py"),
    "deleted-unread": Edit("unread.py"),
    "syntax-error": Edit("config.py", "class", "clas"),
}  # fmt: skip

Runs = Run | DaemonRun
RUNS: Mapping[str, tuple[Callable[..., Runs], Mapping[str, object]]] = {
    "warm": (Run, {}),
    "workers": (Run, {"flags": ["-n", "2"]}),
    "dmypy-check": (DaemonRun, {}),
    "dmypy-recheck": (DaemonRun, {"again": True}),
    "files-cache": (Run, {"flags": ["--no-sqlite-cache"]}),
    "json-cache": (Run, {"flags": ["--no-fixed-format-cache"]}),
    "fine-grained-cache": (Run, {"flags": ["--cache-fine-grained"]}),
}


def _lay_out(folder: Path) -> Path:
    stubs = write_stubs(folder / "stubs")
    project = folder / "project"
    project.mkdir()
    for name, source in PROJECT.items():
        (project / name).write_text(source)
    options = "warn_unused_ignores = True\n"
    (project / "mypy.ini").write_text(CONFIG.format(stubs=stubs) + options)
    return project


Cold = Callable[[Edit | None], list[str]]


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Cold:
    """What a run from nothing says of the project, as it is or with an edit."""
    said: dict[Edit | None, list[str]] = {}

    def run(edit: Edit | None) -> list[str]:
        if edit not in said:
            folder = tmp_path_factory.mktemp("cold")
            project = _lay_out(folder)
            if edit is not None:
                edit.apply(project)
            said[edit] = Run(project, folder / "cache")()
        return said[edit]

    return run


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """A kind of run, which has seen the project once."""
    make, options = RUNS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    runs = make(_lay_out(folder), folder / "cache", **options)
    runs()
    yield runs
    runs.close()


def _by_file(lines: Sequence[str]) -> dict[str, list[str]]:
    """The lines of each file in their order; a daemon keeps files in the order it met them in."""
    files: dict[str, list[str]] = {}
    for line in lines:
        files.setdefault(line.partition(":")[0], []).append(line)
    return files


def _same(run: Runs, said: list[str], cold: list[str]) -> None:
    if isinstance(run, DaemonRun):
        assert _by_file(said) == _by_file(cold)
    else:
        assert said == cold


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_run_after_an_edit_and_its_revert_says_what_a_cold_one_says(
    run: Runs, edit: Edit, cold: Cold
) -> None:
    edit.apply(run.folder)
    try:
        after = run()
    finally:
        edit.revert(run.folder)
    reverted = run()
    _same(run, after, cold(edit))
    _same(run, reverted, cold(None))
