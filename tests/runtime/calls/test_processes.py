# SPDX-License-Identifier: Apache-2.0
"""Checked code runs in the worker processes of loaders and of distributed training."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LOADER = """
import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils.data import DataLoader, Dataset
from typedtensors import typechecked


@typechecked
class Rows(Dataset):
    def __init__(self, x: Float[Tensor, "n d"], bad: int = -1) -> None:
        self.x, self.bad = x, bad

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> Float[Tensor, "4"]:
        return self.x[index, int(index == self.bad) :]


@typechecked
def stack(rows: list[Float[Tensor, "d"]]) -> Float[Tensor, "b d"]:
    return torch.stack(rows)


def batches(bad: int) -> list[Tensor]:
    options = {"num_workers": 1, "multiprocessing_context": "spawn"}
    return list(DataLoader(Rows(torch.zeros(6, 4), bad), 2, collate_fn=stack, **options))


if __name__ == "__main__":
    assert [batch.shape for batch in batches(-1)] == [(2, 4)] * 3
    try:
        batches(5)
    except RuntimeError as error:  # the loader's, which holds the text of the worker's
        assert "Rows.__getitem__" in str(error), error
        assert "in __getitem__" in str(error), error
    else:
        raise SystemExit("not checked")
"""

DISTRIBUTED = """
import os
import sys
import torch
from jaxtyping import Float
from torch import Tensor, distributed, multiprocessing, nn
from torch.nn.parallel import DistributedDataParallel
from typedtensors import TensorCheckError, typechecked


@typechecked
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def forward(self, x: Float[Tensor, "b 4"]) -> Float[Tensor, "b 1"]:
        return self.layer(x)


def work(rank: int, file: str) -> None:
    distributed.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    net = DistributedDataParallel(Net())
    net(torch.ones(2 + rank, 4)).sum().backward()
    assert net.module.layer.weight.grad is not None
    try:
        net(torch.ones(2, 3))
    except TensorCheckError:
        distributed.destroy_process_group()
    else:
        raise SystemExit("not checked")


if __name__ == "__main__":
    multiprocessing.spawn(work, (sys.argv[1],), nprocs=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [LOADER, DISTRIBUTED], ids=["spawned loader", "distributed"])
def test_checks_work_in_other_processes(program: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(program, encoding="utf-8")
    subprocess.run([sys.executable, str(script), str(tmp_path / "rendezvous")], check=True)
