# SPDX-License-Identifier: Apache-2.0
"""Whether an array fits its annotation, where jaxtyping can not say.

jaxtyping compares sizes as they are: two unknown ones are equal to it, and an unknown one is not
equal to 4. Here an unknown size is what it has to be, once for each axis and name, until that
contradicts something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jaxtyping

from typedtensors.runtime.codegen.support import Misfit, dtype_table
from typedtensors.runtime.scope import reader_of, snapshot
from typedtensors.runtime.symbolic.unsettled import current, has_unsettled, keep
from typedtensors.runtime.symbolic.values import is_array_of
from typedtensors.shapes import Match, SpecError, match, parse_spec
from typedtensors.shapes.arrays.sizes import Sizes, as_shape, is_complete, is_tensorflow, sizes_of


@dataclass(frozen=True, slots=True)
class _Known:
    """Stands for an array whose class and dtype are not in question."""

    shape: tuple[int, ...]
    dtype: str = "float32"


def judge(value: Any, annotation: Any) -> bool | None:
    """Say whether an array fits, and bind what its shape shows; None: jaxtyping is to say it."""
    unsettled = has_unsettled()
    if not unsettled and not is_tensorflow(type(value)):
        return None
    if jaxtyping.config.jaxtyping_disable:
        return None
    if not is_array_of(value, annotation.array_type):
        return False
    try:
        fits = not isinstance(annotation.dtypes, tuple) or _accepts(annotation, value)
        return fits and _fits(sizes_of(value), annotation.dim_str, unsettled=unsettled)
    except (Misfit, AttributeError, TypeError):
        return None


def _accepts(annotation: Any, value: Any) -> bool:
    return dtype_table(annotation.dtypes)[value.dtype]


def _fits(sizes: Sizes | None, text: str, *, unsettled: bool) -> bool:
    if is_complete(sizes) and not unsettled:
        return isinstance(_Known(sizes), jaxtyping.Shaped[Any, text])  # type: ignore[arg-type]
    try:
        spec = parse_spec(text)
    except SpecError:
        return True
    before, read = current(), reader_of(snapshot().arguments)
    found = match(spec, as_shape(sizes), before.bindings, before.facts, read=read)
    if not isinstance(found, Match):
        return False
    keep(found)
    return True
