# SPDX-License-Identifier: Apache-2.0
"""Symbolic integers: the sizes of axes, their algebra, and what is known of their equality."""

from typedtensors.dims.arithmetic import divide, maximum, minimum, product
from typedtensors.dims.binding import Facts
from typedtensors.dims.compare import Verdict, compare
from typedtensors.dims.dim import Atom, Compound, Dim, Operator
from typedtensors.dims.order import at_most, larger, nonnegative, smaller
from typedtensors.dims.parse import DimSyntaxError, parse_dim

__all__ = [
    "Atom",
    "Compound",
    "Dim",
    "DimSyntaxError",
    "Facts",
    "Operator",
    "Verdict",
    "at_most",
    "compare",
    "divide",
    "larger",
    "maximum",
    "minimum",
    "nonnegative",
    "parse_dim",
    "product",
    "smaller",
]
