# SPDX-License-Identifier: Apache-2.0
"""Broadcasts that are asked for: axes are lined up by name, not by position."""

from typedtensors.broadcast.align import align
from typedtensors.broadcast.errors import AxisError
from typedtensors.broadcast.expand import expand, expand_as
from typedtensors.broadcast.sizes import sizes

__all__ = ["AxisError", "align", "expand", "expand_as", "sizes"]
