# SPDX-License-Identifier: Apache-2.0
"""How each framework writes what an edit does, so that what is proposed can be pasted."""

from __future__ import annotations

from typedtensors.dims.quick import dataclass


@dataclass(frozen=True)
class Dialect:
    """The words of one framework.

    Args:
        squeeze: Behind an operand, to drop the axis `axis`; None where an index does that.
        unsqueeze: The same for a new axis.
        swap: An operand with its last two axes exchanged; `{}` is the operand.
        expand: An operand in the shape of `other`.
        keep: The argument with which a reduction keeps its axis.
    """

    squeeze: str | None
    unsqueeze: str | None
    swap: str
    expand: str
    keep: str


TORCH = Dialect(
    ".squeeze({axis})", ".unsqueeze({axis})", "{}.mT", "{}.expand_as({other})", "keepdim=True"
)
NUMPY = Dialect(
    ".squeeze({axis})", None, "{}.mT", "np.broadcast_to({}, {other}.shape)", "keepdims=True"
)
TENSORFLOW = Dialect(
    None,
    None,
    "tf.linalg.matrix_transpose({})",
    "tf.broadcast_to({}, tf.shape({other}))",
    "keepdims=True",
)
