# SPDX-License-Identifier: Apache-2.0
"""Enough of each library for mypy; analyzing the real ones takes longer than all tests here."""

from __future__ import annotations

from pathlib import Path

STUBS = {
    "jaxtyping/__init__.pyi": "from typing import Annotated as Bool, Annotated as Float\n"
    "from typing import Annotated as Int\n__all__ = ['Bool', 'Float', 'Int']\n",
    "torch/__init__.pyi": "from typing import Any\nfrom torch._tensor import Tensor as Tensor\n"
    "from torch import nn as nn\ndef zeros(*size: int) -> Tensor: ...\n",
    "torch/_tensor.pyi": "from typing import Any\nclass Tensor:\n"
    "    def __sub__(self, other: Tensor) -> Tensor: ...\n"
    "    def __add__(self, other: Tensor | float) -> Tensor: ...\n"
    "    def __pow__(self, other: float) -> Tensor: ...\n"
    "    def __getitem__(self, index: Any) -> Tensor: ...\n"
    "    def mean(self) -> Tensor: ...\n"
    "    def sum(self, dim: int) -> Tensor: ...\n"
    "    def squeeze(self, dim: int) -> Tensor: ...\n",
    "torch/nn/__init__.pyi": "from torch.nn.modules.linear import Linear as Linear\n"
    "from torch.nn.modules.module import Module as Module\n",
    "torch/nn/modules/__init__.pyi": "",
    "torch/nn/modules/module.pyi": "from typing import Any\nclass Module:\n"
    "    def __init__(self) -> None: ...\n"
    "    def __call__(self, *args: Any) -> Any: ...\n",
    "torch/nn/modules/linear.pyi": "from torch.nn.modules.module import Module\n"
    "class Linear(Module):\n"
    "    def __init__(self, n: int, m: int, bias: bool = True) -> None: ...\n",
}
CONFIG = "[mypy]\nplugins = typedtensors_mypy\nmypy_path = {stubs}\nno_site_packages = True\n"


def write_stubs(folder: Path) -> Path:
    """Write stubs for jaxtyping and torch into a folder, and return it."""
    for name, source in STUBS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    return folder
