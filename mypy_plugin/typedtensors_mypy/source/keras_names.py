# SPDX-License-Identifier: Apache-2.0
"""The names of Keras that mean something to us: the bases of layers, losses and metrics."""

from __future__ import annotations

import re
from enum import Enum
from functools import cache


class Kind(Enum):
    """What objects of a subclass do when they are called."""

    LAYER = "call"
    LOSS = "call, weighed and reduced"
    METRIC = "update_state, then result"


_BASES = {
    Kind.LAYER: r"(?:models\.)?Model|(?:layers\.)?Layer",
    Kind.LOSS: r"(?:losses\.)?Loss",
    Kind.METRIC: r"(?:metrics\.)?Metric",
}
_PATTERNS = {
    kind: re.compile(rf"(?:tensorflow\.)?keras\.(?:{names})") for kind, names in _BASES.items()
}


@cache
def kind_of(name: str) -> Kind | None:
    """What a class is for whose base has this name; None if Keras has no such base."""
    return next((kind for kind, known in _PATTERNS.items() if known.fullmatch(name)), None)


# Methods that Keras's bases give, by the kind of what they do.
WEIGHING = frozenset({"add_weight", "add_variable"})
PREDICTING = frozenset({"predict", "predict_on_batch"})
COMPILING = "compile"
TRAINING = frozenset({"fit", "evaluate", "train_on_batch", "test_on_batch"})
METHODS = WEIGHING | PREDICTING | TRAINING | {COMPILING}
# Methods by which a model says itself what one step is, by those that make steps.
STEP = {
    **dict.fromkeys(("fit", "train_on_batch"), "train_step"),
    **dict.fromkeys(("evaluate", "test_on_batch"), "test_step"),
}
LOSS_OF_A_STEP = "compute_loss"
# Methods of a model that leave it what it is, and give nothing that has a shape.
HARMLESS = frozenset(
    {
        *("build", "compute_output_shape", "count_params", "export", "get_config", "get_weights"),
        *("load_weights", "reset_metrics", "save", "save_weights", "set_weights", "summary"),
    }
)
# What Keras lets a caller say of any layer, whether its `call` takes it or not.
OF_EVERY_LAYER = frozenset({"training", "mask"})
# Losses have names of their own: of a class, of its function, and short ones.
_SHORT = {
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "bce": "binary_crossentropy",
    "mape": "mean_absolute_percentage_error",
    "kld": "kl_divergence",
    "msle": "mean_squared_logarithmic_error",
}
_LOSSES = (
    *("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "Huber", "LogCosh"),
    *("MeanSquaredLogarithmicError", "CosineSimilarity", "Hinge", "SquaredHinge", "Poisson"),
    *("CategoricalHinge", "KLDivergence", "BinaryCrossentropy", "BinaryFocalCrossentropy"),
    *("CategoricalCrossentropy", "CategoricalFocalCrossentropy", "SparseCategoricalCrossentropy"),
    *("Dice", "Tversky", "CTC", "Circle"),
)
_OF_FUNCTIONS = {
    **{re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): name for name in _LOSSES},
    "kl_divergence": "KLDivergence",
}


def loss_class(name: str) -> str | None:
    """The class of Keras's that a loss is wrapped in, `MeanSquaredError` for `mse`."""
    if name in _LOSSES:
        return name
    return _OF_FUNCTIONS.get(_SHORT.get(name.lower(), name))
