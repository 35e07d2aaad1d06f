# SPDX-License-Identifier: Apache-2.0
"""`audit`: what a function or model of TensorFlow broadcasts, told before anything is computed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from typedtensors.guard.session import Guard

if TYPE_CHECKING:
    from typedtensors.guard.report import Report
    from typedtensors.guard.session import Allows


def audit(
    target: Any,  # noqa: ANN401 - of TensorFlow or Keras
    *specs: Any,  # noqa: ANN401 - as above
    level: str | None = None,
    allows: Allows | None = None,
) -> Report:
    """Trace a function or a model of TensorFlow, and report what it broadcasts.

    Nothing is computed and no data is needed: `audit(loss, tf.TensorSpec((None, 1)),
    tf.TensorSpec((None,)))` tells what the loss makes of a column and a row. Functions that were
    traced before are looked at too.

    Args:
        target: a function, with `tf.function` or without, or a layer or model of Keras.
        specs: what to call it with, for each argument: an annotation such as
            `Float[tf.Tensor, "batch 3"]`, whose names are sizes that are left open, a
            `tf.TensorSpec`, or an array, of which shape and dtype are taken; containers of them.
            Of a model that knows its inputs, none are needed. Given inputs *and* targets, a
            compiled model is audited as `fit` trains it: with its loss and metrics, or with its
            own `train_step`. What a model or its optimizer has not built yet is built.
        level: as for `guard`.
        allows: as for `guard`.

    Returns: the report, of a guard that records. A program may assert that it has no events.
    Raises: TypeError if this is nothing of TensorFlow's, or a spec does not describe a tensor, and
        what the target itself raises.
    """
    watch = Guard(level, "record", allows)
    if "tensorflow" not in sys.modules or _is_of_torch(target):
        msg = (
            f"audit traces what TensorFlow computes, not {type(target).__name__}: "
            "for torch, compile with `backend=audited(...)` or run it under a guard"
        )
        raise TypeError(msg)
    if watch.is_on:
        from typedtensors.guard.tensorflow.auditing import graph_of
        from typedtensors.guard.tensorflow.watching import look_at

        with watch:
            look_at(graph_of(target, specs))
    return watch.report


def _is_of_torch(target: object) -> bool:
    module = getattr(sys.modules.get("torch.nn"), "Module", None)
    return module is not None and isinstance(target, module)
