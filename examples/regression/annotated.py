# SPDX-License-Identifier: Apache-2.0
"""The script of buggy.py with its shapes written down, and its bug still in it."""

import torch
from jaxtyping import Float
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from torch import Tensor, nn


def load() -> tuple[Float[Tensor, "n 10"], Float[Tensor, "n"]]:
    features, progression = load_diabetes(return_X_y=True)
    x = torch.tensor(features * 20, dtype=torch.float32)
    y = torch.tensor(progression / 100, dtype=torch.float32)
    return x, y


def fit(model: nn.Module, x: Float[Tensor, "n 10"], y: Float[Tensor, "n"]) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)
    for _ in range(101):
        pred: Float[Tensor, "n 1"] = model(x)
        loss = ((pred - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
x, y = load()
train, test = torch.randperm(len(x)).split([342, 100])
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
fit(model, x[train], y[train])
with torch.no_grad():
    print(f"R2 on held-out data: {r2_score(y[test], model(x[test])):.2f}")
