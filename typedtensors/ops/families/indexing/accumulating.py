# SPDX-License-Identifier: Apache-2.0
"""Whole slices of one axis written, or added, where a vector of indices says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Verdict
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example, indices
from typedtensors.ops.steps.axes.positions import position
from typedtensors.shapes import Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call

_EXAMPLES = (
    example(Array("b n"), 0, indices("k"), Array("k n")),
    example(Array("b n"), -1, indices("k"), Array("b k")),
    example(Array("n"), 0, indices("k"), Array("k")),
    example(Array("b n"), 0, indices("k"), Array("b n")),
)


def accumulated(call: Call) -> Tensor:
    """The shape stays; the source has it too, but for one axis as long as the index."""
    array, index, source = call.tensor("input"), call.tensor("index"), call.tensor("source")
    if array.shape.rank is None or source.shape.rank is None or index.shape.rank != 1:
        raise Undetermined("not every rank is known")
    if 0 in (array.shape.rank, source.shape.rank):
        raise Undetermined("torch lets a scalar pass for a vector")
    along = position(call, array.shape, call["dim"])
    if array.shape.rank != source.shape.rank:
        where = wording.argument("source", call.name)
        raise Conflicting(wording.rank_differs(where, array.shape.text, source.shape.text))
    for at, own in enumerate(source.shape.prefix):
        by = "index" if at == along else "input"
        needed = index.shape.axis(0) if at == along else array.shape.axis(at)
        if needed is None or own.flexible or needed.flexible:
            continue
        if call.same(own.dim, needed.dim) is Verdict.DIFFERENT:
            where = wording.argument("source", call.name)
            raise Conflicting(
                wording.axis_differs(where, at, str(needed), str(own), bound_by=f"`{by}`")
            )
    return Tensor(array.shape, array.dtype)


rule(
    *torch_names("index_add", in_place=True),
    params="input, dim, index, source, *, alpha=1, out=None",
    examples=_EXAMPLES,
)(accumulated)
rule(
    *torch_names("index_reduce", in_place=True),
    params="input, dim, index, source, reduce, *, include_self=True, out=None",
    examples=(example(Array("b n"), 0, indices("k"), Array("k n"), "mean"),),
)(accumulated)
rule(
    *torch_names("index_copy", in_place=True),
    params="input, dim, index, source, *, out=None",
    examples=_EXAMPLES,
)(accumulated)
