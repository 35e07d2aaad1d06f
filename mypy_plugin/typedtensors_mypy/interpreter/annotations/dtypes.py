# SPDX-License-Identifier: Apache-2.0
"""Whether the kind of number that a value holds fits its annotation."""

from __future__ import annotations

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.shapes import DType


def dtype_mismatch(where: str, declared: str, actual: DType) -> Diagnostic | None:
    """What is wrong, if no value can be both: the kind of number, not the precision."""
    expected = DType.named(declared)
    if not expected.conflicts(actual, precision=False):
        return None
    return wording.dtype_differs(where, declared, actual.text)
