# SPDX-License-Identifier: Apache-2.0
"""The name of an array's dtype, in full as jaxtyping reads it and short as tables show it."""

from __future__ import annotations

import re
from typing import Any

from typedtensors.runtime.codegen.support import is_tensorflow_dtype

_SHORT = {"float": "f", "bfloat": "bf", "complex": "c", "uint": "u", "int": "i"}


def dtype_name(array: Any) -> str:
    """Return `float32`, `bool`, ... for an array of any framework."""
    dtype = array.dtype
    if is_tensorflow_dtype(dtype):
        return str(dtype.name)
    if hasattr(dtype, "type") and hasattr(dtype.type, "__name__"):  # NumPy, JAX
        return str(dtype.type.__name__)
    return str(dtype).rsplit(".", 1)[-1]


def short_dtype(name: str) -> str:
    """Shorten a dtype's name: `f32`, `i64`, `bf16`, `bool`."""
    found = re.fullmatch(r"(float|bfloat|complex|uint|int)(\d+\w*)", name)
    return f"{_SHORT[found[1]]}{found[2]}" if found else name
