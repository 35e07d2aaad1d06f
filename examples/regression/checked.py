# SPDX-License-Identifier: Apache-2.0
"""The same bug behind a loss function that checks its arguments when it is called."""

import torch
from jaxtyping import Float
from model import Regressor, load
from torch import Tensor

from typedtensors import typechecked


@typechecked
def mean_squared_error(pred: Float[Tensor, "n"], target: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return ((pred - target) ** 2).mean()


torch.manual_seed(0)
x, y, x_test, y_test = load()
model = Regressor()
loss = mean_squared_error(model(x), y)
print(f"loss {loss.item():.3f}")
