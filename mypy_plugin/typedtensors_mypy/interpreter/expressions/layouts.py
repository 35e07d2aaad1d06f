# SPDX-License-Identifier: Apache-2.0
"""Which views are mistakes: those that keep the sizes of named axes, and mix what is in them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import cache

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.ops import Known, Value
from typedtensors.shapes import Tensor
from typedtensors.shapes.layout import scrambled, shuffled
from typedtensors_mypy.interpreter.frame import Frame

# How the arrays of an op are called that it takes another view of.
_VIEWS: Mapping[str, str] = {
    f"{owner}.{name}": owner
    for owner in ("torch", "torch.Tensor")
    for name in ("view", "reshape", "view_as", "reshape_as")
} | {"tensorflow.reshape": "tensorflow", "keras.ops.reshape": "keras"}

# Ops whose arrays have their rows in common, and those whose arrays meet element by element.
_BY_ROWS = frozenset({"cross_entropy", "nll_loss", "CrossEntropyLoss", "NLLLoss", "bmm"})
_BY_ELEMENTS = (
    frozenset({"add", "sub", "mul", "div", "truediv", "eq", "ne", "lt", "le", "gt", "ge", "where"})
    | {"masked_fill", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div"}
    | {"binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_similarity"}
    | {"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss"}
)

_WORDS = {
    "torch": "`.permute({})` before `.reshape`",
    "tensorflow": "`tf.transpose(..., [{}])` before `tf.reshape`",
    "keras": "`ops.transpose(..., ({}))` before `ops.reshape`",
}


def judge_rows(name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Diagnostic | None:
    """What is wrong with arrays whose rows meet and were put in different orders, if anything is.

    Rows of `(seq, batch)` that are viewed as one axis are no rows of `(batch, seq)`.
    """
    op = _last_word(name)
    by_rows = op in _BY_ROWS
    if not by_rows and op not in _BY_ELEMENTS:
        return None
    arrays = [each.shape for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
    for first, other in itertools.pairwise(arrays):
        depth = 1 if by_rows else min(len(first.suffix), len(other.suffix))
        for at in range(depth):
            index = 0 if by_rows else -1 - at
            found = shuffled(first.axis(index), other.axis(index))
            if found is not None:
                return wording.shuffled(op, *found)
    return None


@cache
def _last_word(name: str) -> str:
    """What an op is called by those who call it: `add` for `torch.Tensor.__add__`."""
    return name.removesuffix(".forward").removesuffix(".__call__").rpartition(".")[2].strip("_")


def judge_view(
    frame: Frame, name: str, args: tuple[Value, ...], outcome: Known
) -> Diagnostic | None:
    """What is wrong with the view that an op took, if anything is.

    A function that views a padded axis shifts elements on purpose, as relative attention does.
    """
    array = args[0] if args and name in _VIEWS else None
    if not isinstance(array, Tensor) or not isinstance(outcome.value, Tensor):
        return None
    before, after = array.shape, outcome.value.shape
    found = scrambled(before, after, outcome.facts)
    if found is None or frame.shifts:
        return None
    if found.padded:
        frame.shifts = True
        return None
    op = name.rpartition(".")[2]
    words = _WORDS.get(_VIEWS[name], _WORDS["torch"])
    return wording.scrambles(
        op, before.text, after.text, str(found.axis), order=found.order, words=words
    )
