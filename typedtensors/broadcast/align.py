# SPDX-License-Identifier: Apache-2.0
"""`align`: put an array's named axes where another list of names has them."""

from __future__ import annotations

import einops

from typedtensors.broadcast.array import ArrayT, require_array
from typedtensors.broadcast.errors import AxisError
from typedtensors.broadcast.names import Names, parse_names, require_rank
from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.diagnostics.suggestion import did_you_mean
from typedtensors.shapes.intended import mark


def align(x: ArrayT, spec: str, *, to: str) -> ArrayT:
    """Permute an array and insert axes of size 1, so that it broadcasts by name.

    Args:
        x: a torch, TensorFlow or JAX tensor or a NumPy array, of any dtype.
        spec: the names of its axes, such as `"d"`; one `*name` or `...` may stand for
            any number of them.
        to: the names to line up with, such as `"batch seq d"`; all of `spec`'s are among
            them. Each name that `spec` lacks becomes an axis of size 1. A variadic that
            `spec` lacks must come first and adds no axis.

    Returns:
        A view of `x` where the framework has views, with one axis for each name in `to`.

    Raises:
        AxisError: a name occurs twice or is missing in `to`, or the number of axes differs.

    >>> import numpy as np
    >>> from typedtensors import align
    >>> align(np.zeros((8, 3)), "d batch", to="batch seq d").shape
    (3, 1, 8)
    """
    require_array("align", "x", x)
    source, target = parse_names(spec), parse_names(to)
    require_rank(wording.argument("x", "align"), source, x.shape)
    placed = place(x, source, target)
    # An array that was in place already is still the caller's, not one made for a broadcast.
    return placed if placed is x else mark(placed)


def place(x: ArrayT, source: Names, target: Names) -> ArrayT:
    """Do the work of `align` on an array whose rank is right.

    Raises:
        AxisError: a name is missing in `target`, or the number of axes to insert is not known.
    """
    for word in source.words:
        if word not in target.words:
            raise AxisError(_missing(source, target, word))
    if target.variadic and target.words[target.variadic] not in source.words:
        word = target.words[target.variadic]
        problem = f'how many axes `{word}` stands for is not known from "{source.text}"'
        hint = f"move `{word}` to the front, or write its axes out"
        raise AxisError(wording.bad_spec(target.text, problem, hint=hint))
    if source.words == target.words:
        return x
    before = " ".join([_einops_name(source, word) for word in source.words])
    after = " ".join(
        [
            _einops_name(source, word) if word in source.words else "1"
            for position, word in enumerate(target.words)
            if word in source.words or position != target.variadic
        ]
    )
    return einops.rearrange(x, f"{before} -> {after}")


def _einops_name(source: Names, word: str) -> str:
    # einops has rules of its own for names (no underscore at either end).
    position = source.words.index(word)
    return "..." if position == source.variadic else f"a{position}"


def _missing(source: Names, target: Names, word: str) -> Diagnostic:
    slip = did_you_mean(word, [name for name in target.words if name not in source.words])
    problem = f'it has no axis `{word}` of "{source.text}"{slip}'
    hint = f"add `{word}`, or reduce or index that axis away first"
    return wording.bad_spec(target.text, problem, hint=hint)
