# SPDX-License-Identifier: Apache-2.0
"""Which views are mistakes: those that keep the sizes of named axes, and mix what is in them."""

from __future__ import annotations

from collections.abc import Mapping

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.ops import Known, Value
from typedtensors.shapes import Tensor
from typedtensors.shapes.layout import scrambled
from typedtensors_mypy.interpreter.frame import Frame

# How the arrays of an op are called that it takes another view of.
_VIEWS: Mapping[str, str] = {
    f"{owner}.{name}": owner
    for owner in ("torch", "torch.Tensor")
    for name in ("view", "reshape", "view_as", "reshape_as")
} | {"tensorflow.reshape": "tensorflow", "keras.ops.reshape": "keras"}

_WORDS = {
    "torch": "`.permute({})` before `.reshape`",
    "tensorflow": "`tf.transpose(..., [{}])` before `tf.reshape`",
    "keras": "`ops.transpose(..., ({}))` before `ops.reshape`",
}


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
