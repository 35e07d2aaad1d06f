# SPDX-License-Identifier: Apache-2.0
"""What the helpers raise."""

from __future__ import annotations

from typedtensors.diagnostics.error import TensorError


class AxisError(TensorError, ValueError):
    """Named axes that do not fit the array, or each other."""
