# SPDX-License-Identifier: Apache-2.0
"""Arguments that are not given, and the names of axes that nothing else binds."""

from __future__ import annotations

from typedtensors_mypy.interpreter.annotations.signature import signature_of
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.source.annotations.types import specs_of

_GONE = object()


def unbound_names(frame: Frame) -> frozenset[str]:
    """The names that only parameters have which are None here, where nobody calls the function.

    `"n d"` is any array of two axes where `x: Float[Tensor, "n d"] | None` is None.
    """
    if frame.callee is None or frame.called_at is not None:
        return frozenset()
    absent, given = set[str](), set[str]()
    for parameter in signature_of(frame.run, frame.callee).parameters:
        is_absent = frame.state.values.get(parameter.name, _GONE) is None
        is_absent |= parameter.name in frame.absent
        for spec in specs_of(parameter.type):
            (absent if is_absent else given).update(spec.names | spec.variadic_names)
    return frozenset(absent - given)
