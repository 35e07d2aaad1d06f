# SPDX-License-Identifier: Apache-2.0
"""The names of Keras that mean something to us: the bases of layers, losses and metrics."""

from __future__ import annotations

import re
from enum import Enum


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


def kind_of(name: str) -> Kind | None:
    """What a class is for whose base has this name; None if Keras has no such base."""
    return next((kind for kind, known in _PATTERNS.items() if known.fullmatch(name)), None)


# Methods that Keras's bases give, by the kind of what they do.
WEIGHING = frozenset({"add_weight", "add_variable"})
PREDICTING = frozenset({"predict", "predict_on_batch"})
METHODS = WEIGHING | PREDICTING
# Methods of a model that leave it what it is, and give nothing that has a shape.
HARMLESS = frozenset(
    {
        *("build", "compile", "compute_output_shape", "count_params", "evaluate", "export", "fit"),
        *("get_config", "get_weights", "load_weights", "reset_metrics", "save", "save_weights"),
        *("set_weights", "summary", "test_on_batch", "train_on_batch"),
    }
)
# What Keras lets a caller say of any layer, whether its `call` takes it or not.
OF_EVERY_LAYER = frozenset({"training", "mask"})
