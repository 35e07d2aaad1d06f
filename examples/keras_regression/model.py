# SPDX-License-Identifier: Apache-2.0
"""The data, with their shapes written down, and the model."""

import keras
import numpy as np
from jaxtyping import Float
from keras import layers
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split


def load() -> tuple[
    Float[np.ndarray, "n 10"],
    Float[np.ndarray, "m 10"],
    Float[np.ndarray, "n"],
    Float[np.ndarray, "m"],
]:
    """Ten measurements of n patients, and of m others; how ill they all are a year later."""
    features, progression = load_diabetes(return_X_y=True)
    x = (features * 20).astype("float32")
    y = (progression / 100).astype("float32")
    return train_test_split(x, y, test_size=100, random_state=2)


def build(hidden=64):
    """Predicts one number for each patient."""
    model = keras.Sequential([keras.Input(shape=(10,))])
    model.add(layers.Dense(hidden, activation="relu"))
    model.add(layers.Dense(1))
    return model
