# SPDX-License-Identifier: Apache-2.0
"""The data and the model, with their shapes written down."""

import torch
from jaxtyping import Float
from sklearn.datasets import load_diabetes
from torch import Tensor, nn


def load() -> tuple[
    Float[Tensor, "n 10"],
    Float[Tensor, "n"],
    Float[Tensor, "m 10"],
    Float[Tensor, "m"],
]:
    """Ten measurements of n patients, and how ill they are a year later; the same of m others."""
    features, progression = load_diabetes(return_X_y=True)
    x = torch.tensor(features * 20, dtype=torch.float32)
    y = torch.tensor(progression / 100, dtype=torch.float32)
    train, test = torch.randperm(len(x)).split([342, 100])
    return x[train], y[train], x[test], y[test]


class Regressor(nn.Module):
    """Predicts one number for each patient."""

    def __init__(self, hidden: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x: Float[Tensor, "n 10"]) -> Float[Tensor, "n 1"]:
        return self.layers(x)
