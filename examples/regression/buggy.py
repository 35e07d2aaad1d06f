# SPDX-License-Identifier: Apache-2.0
"""Predicts how diabetes progresses from ten body measurements. Runs, trains, and is wrong."""

import torch
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from torch import nn

torch.manual_seed(0)

features, progression = load_diabetes(return_X_y=True)
x = torch.tensor(features * 20, dtype=torch.float32)
y = torch.tensor(progression / 100, dtype=torch.float32)
train, test = torch.randperm(len(x)).split([342, 100])

model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=0.01)

for epoch in range(101):
    pred = model(x[train])
    loss = ((pred - y[train]) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"epoch {epoch:3d}  loss {loss.item():.3f}")

with torch.no_grad():
    print(f"R2 on held-out data: {r2_score(y[test], model(x[test])):.2f}")
