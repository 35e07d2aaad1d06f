# SPDX-License-Identifier: Apache-2.0
"""`check` where neither torch nor the project is installed, as under pre-commit."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.case_build import environment

LEFT_OUT = ("torch", "functorch", "numpy", "scipy", "sklearn", "scikit_learn", "triton", "nvidia")

PROGRAM = """\
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(8, 1)

    def forward(self, x: Float[Tensor, "batch 8"]) -> Float[Tensor, "batch 1"]:
        return self.head(x)


def load() -> tuple[Float[Tensor, "n 8"], Float[Tensor, "n"]]:
    return torch.randn(32, 8), torch.randn(32)


def train():
    x, y = load()
    model = Net()
    by_hand = ((model(x) - y) ** 2).mean()
    by_torch = F.mse_loss(model(x), y)
    fine = F.mse_loss(model(x).squeeze(-1), y)
    return by_hand + by_torch + fine


def transposed(x: Float[Tensor, "batch d"]) -> Float[Tensor, "batch d"]:
    return x.T
"""


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that sees what is installed here, without the frameworks."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    target = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(LEFT_OUT):
            (Path(target) / entry.name).symlink_to(entry)
    probe = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False)
    assert probe.returncode != 0
    return python


def check(python: Path, folder: Path) -> tuple[int, str, str]:
    """Run `typedtensors check` on the program with an interpreter."""
    command = [str(python), "-m", "typedtensors", "check", "train.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_the_same_is_found_without_torch(bare_python: Path, tmp_path: Path) -> None:
    results = []
    for name, python in (("with", Path(sys.executable)), ("without", bare_python)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "train.py").write_text(PROGRAM)
        results.append(check(python, folder))
    with_torch, without = results
    assert without == with_torch
    status, out, _ = without
    lines = [int(line.split(":")[1]) for line in out.splitlines()]
    assert (status, lines) == (1, [23, 24, 30])
