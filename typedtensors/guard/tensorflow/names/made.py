# SPDX-License-Identifier: Apache-2.0
"""One operation as TensorFlow made it, in terms that are the same at once and in a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from typedtensors.guard.tensorflow.operands import sizes_in_graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typedtensors.guard.report import Sizes


@dataclass(frozen=True)
class Made:
    """An operation that was made: `kind` is its type, as graphs name it."""

    kind: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any]

    def constant(self, position: int) -> Any:  # noqa: ANN401 - an int, a list of them, or None
        """The value of an input that counts axes or places; None where a graph computes it."""
        value = tf.get_static_value(self.inputs[position])
        return None if value is None else value.tolist()


def sizes_of(tensor: Any) -> Sizes | None:  # noqa: ANN401 - of TensorFlow
    """The sizes of a tensor, None for each that is not known; None if its rank is not."""
    if hasattr(tensor, "_shape_tuple"):
        sizes: Sizes | None = tensor._shape_tuple()  # noqa: SLF001 - `shape` costs much more
        return sizes
    found = sizes_in_graph((tensor,))
    return None if found is None else found[0]
