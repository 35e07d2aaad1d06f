# SPDX-License-Identifier: Apache-2.0
"""One array against one plain spec, names and fixed sizes only, for `check` and `matches`.

An annotation in a body is a new object at every call, so that no code is generated for it. What it
says is kept by its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jaxtyping

from typedtensors.runtime.codegen.support import DtypeTable, dtype_table
from typedtensors.runtime.hints.parse import is_array_annotation
from typedtensors.runtime.scope import UNSETTLED, current_sizes
from typedtensors.shapes import SpecError, parse_spec
from typedtensors.shapes.arrays.sizes import is_tensorflow

_ANY = -1


@dataclass(frozen=True, slots=True)
class _Plain:
    """What a plain annotation says.

    Args:
        kind: the class of the array.
        dtypes: which dtypes fit; None if all do.
        axes: the name of each axis, None where it has none, and its fixed size or `_ANY`.
    """

    kind: Any
    dtypes: DtypeTable | None
    axes: tuple[tuple[str | None, int], ...]


def verdict(value: Any, annotation: Any) -> bool | None:
    """Say whether a value fits, and bind the names of its axes if so; None: that is not plain."""
    if not is_array_annotation(annotation) or jaxtyping.config.jaxtyping_disable:
        return None
    plain = _read(annotation.array_type, annotation.dtypes, annotation.dim_str)
    if plain is None:
        return None
    if type(value) is not plain.kind and not isinstance(value, plain.kind):
        return None if is_tensorflow(type(value)) else False
    try:
        fits = plain.dtypes is None or plain.dtypes[value.dtype]
        shape = value.shape
        if len(shape) != len(plain.axes):
            return False
    except (ValueError, AttributeError, RuntimeError):
        return None
    return _compare(shape, plain.axes) if fits else False


def _compare(shape: Any, axes: tuple[tuple[str | None, int], ...]) -> bool | None:
    known = current_sizes()
    new: dict[str, int] = {}
    for size, (name, fixed) in zip(shape, axes, strict=True):
        if type(size) is not int:
            return None  # a symbol, or what `torch.jit.trace` records
        if name is None:
            wanted = size if fixed == _ANY else fixed
        elif name in known:
            wanted = known[name]
        else:
            wanted = new.setdefault(name, size)
        if wanted != size:
            return False
    if new and UNSETTLED in known:
        return None
    known.update(new)
    return True


@lru_cache(maxsize=1024)
def _read(kind: Any, dtypes: Any, text: str) -> _Plain | None:
    if not isinstance(kind, type):
        return None
    try:
        spec = parse_spec(text)
    except SpecError:
        return None
    axes = []
    for axis in spec.axes:
        fixed = None if axis.dim is None else axis.dim.value
        computed = axis.name is None and axis.dim is not None and fixed is None
        if axis.variadic or axis.flexible or axis.tree or computed:
            return None
        axes.append((axis.name, _ANY if fixed is None else int(fixed)))
    return _Plain(kind, dtype_table(dtypes) if isinstance(dtypes, tuple) else None, tuple(axes))
