# SPDX-License-Identifier: Apache-2.0
"""The losses and metrics of Keras that compare what they are given element by element."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from typedtensors.guard.tensorflow.operands import Operands

if TYPE_CHECKING:
    from types import FrameType

    from typedtensors.guard.tensorflow.places.place import Path

_COMPARING: Final = frozenset(
    {"mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error"}
    | {"mean_squared_logarithmic_error", "huber", "log_cosh", "hinge", "squared_hinge"}
    | {"categorical_hinge", "cosine_similarity", "kl_divergence", "poisson", "dice", "tversky"}
    | {"binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy"}
    | {"categorical_focal_crossentropy", "categorical_generalized_cross_entropy"}
    | {"accuracy", "binary_accuracy", "pearson_correlation", "concordance_correlation"}
    | {"RootMeanSquaredError", "R2Score"}
)
"""The functions that do the work, which have parameters `y_true` and `y_pred`; metrics that do it
themselves, in their method `update_state`."""


def compared_by(path: Path, operands: Operands) -> tuple[str, Operands] | None:
    """The function of Keras that an operation is a part of, and what it compares; None if neither.

    By then the function has squeezed a column to go with a row. Of a graph that is traced already
    the operation's own operands are all there is.
    """
    frame: Any = path.compared
    running = hasattr(frame, "f_code")
    name = _name(frame) if running else frame.name
    if name not in _COMPARING:
        return None
    if not running:
        return name, replace(operands, comparison=True)
    tensors = tuple(frame.f_locals.get(name) for name in ("y_true", "y_pred"))
    shapes = [getattr(each, "shape", None) for each in tensors]
    if any(getattr(shape, "rank", None) is None for shape in shapes):
        return None
    rows = tuple(tuple(shape.as_list()) for shape in shapes if shape is not None)
    return name, Operands(tensors, rows, comparison=True)


def _name(frame: FrameType) -> str:
    name = frame.f_code.co_name
    return type(frame.f_locals.get("self")).__name__ if name == "update_state" else name
