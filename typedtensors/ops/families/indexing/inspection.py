# SPDX-License-Identifier: Apache-2.0
"""What an array says about its shape: `x.shape`, `x.size(-1)`, `len(x)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim
from typedtensors.ops import promotion
from typedtensors.ops.names import torch_names
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position
from typedtensors.ops.steps.axes.sizes import parts, require_sizes, shape_of, sizes_of
from typedtensors.ops.steps.elementwise import meet
from typedtensors.shapes import Axis, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part


@rule(
    "torch.Tensor.shape",
    "numpy.ndarray.shape",
    "numpy.shape",
    params="input",
    examples=(example(Array("b n")), example(Array(""))),
)
def shape(call: Call) -> Value:
    """The sizes as a tuple; a `Shape` if their number is not known."""
    return _sizes(call.tensor("input").shape)


@rule(
    "torch.Tensor.size",
    params="input, dim=None",
    examples=(
        example(Array("b n")),
        example(Array("b n"), -1),
        example(Array("b n"), 0),
        example(Array("b n"), 2),
    ),
)
def size(call: Call) -> Value:
    """All sizes, or one."""
    array = call.tensor("input")
    if call["dim"] is None:
        return _sizes(array.shape)
    return _size(array.shape.axes[position(call, array.shape, call["dim"])])


@rule(
    "torch.Tensor.dim",
    "torch.Tensor.ndimension",
    "torch.Tensor.ndim",
    "numpy.ndarray.ndim",
    "numpy.ndim",
    params="input",
    examples=(example(Array("b n")), example(Array(""))),
)
def rank(call: Call) -> Value:
    """The number of axes."""
    known = call.tensor("input").shape.rank
    if known is None:
        raise Undetermined("the rank is not known")
    return Dim.of(known)


@rule(
    "torch.numel",
    "torch.Tensor.numel",
    "torch.Tensor.nelement",
    "numpy.ndarray.size",
    params="input",
    examples=(example(Array("b n")), example(Array(""))),
)
def numel(call: Call) -> Value:
    """The number of elements."""
    count = call.tensor("input").shape.count
    return Dim.fresh("numel") if count is None else count


@rule(
    "torch.Tensor.__len__",
    "numpy.ndarray.__len__",
    params="input",
    examples=(example(Array("b n")), example(Array(""))),
)
def length(call: Call) -> Value:
    """The size of the first axis."""
    array = call.tensor("input")
    if array.shape.rank == 0:
        raise Conflicting(wording.misused("len", "an array of no axes has no length"))
    first = array.shape.axis(0)
    return Dim.fresh("len") if first is None else _size(first)


@rule(
    "torch.is_tensor",
    params="obj",
    examples=(example(Array("b n")), example(3), example((0.5, "n")), example(None)),
)
def is_tensor(call: Call) -> bool:
    """Whether a value is an array of torch; those of other frameworks have a class of their own."""
    value = call["obj"]
    if type(value) is Tensor:
        return True
    if value is None or isinstance(value, (Dim, float, str, bool, tuple, list)):
        return False
    raise Undetermined("what the value is, is not known")


def _sizes(shape: Shape) -> Value:
    return shape if shape.rank is None else sizes_of(shape)


def _size(part: Part) -> Dim:
    """The size as an integer; not known of an axis that may be of size 1 instead."""
    return part.dim if isinstance(part, Axis) and not part.flexible else Dim.fresh()


def _of_kind(wanted: str) -> Callable[[Call], bool]:
    def answer(call: Call) -> bool:
        found = promotion.kinds(call.tensor("input").dtype)
        if found is None or (wanted in found and len(found) > 1):
            raise Undetermined("the dtype is not known")
        return wanted in found

    return answer


for _name, _wanted in (("is_floating_point", "float"), ("is_complex", "complex")):
    rule(
        *torch_names(_name),
        params="input",
        examples=(example(Array("b n")), example(Array("", "Int64")), example(Array("n", "Bool"))),
    )(_of_kind(_wanted))


@rule(
    "torch.Size",
    params="sizes=()",
    examples=(example((2, Dim.name("n"))), example([3]), example(())),
)
def size_of_sizes(call: Call) -> Value:
    """The sizes themselves."""
    given = call["sizes"]
    if isinstance(given, Shape):
        return given
    if not isinstance(given, (tuple, list)):
        raise Undetermined("the sizes are not known")
    return tuple(given)


@rule(
    "torch.broadcast_shapes",
    params="*shapes",
    examples=(
        example((2, Dim.name("n")), (Dim.name("n"),)),
        example((Dim.name("b"), 1), (Dim.name("n"),)),
        example((3, 4), (2, 4)),
    ),
)
def broadcast_shapes(call: Call) -> Value:
    """The sizes that arrays of these shapes broadcast to, which is asked for in so many words."""
    given = call["shapes"]
    if not isinstance(given, tuple) or not given:
        raise Undetermined("the shapes are not known")
    sizes = [parts(each) for each in given]
    for each in sizes:
        require_sizes(call, each)
    operands = {str(at): Tensor(shape_of(each)) for at, each in enumerate(sizes)}
    found = meet(call, operands)
    call.broadcasts.clear()
    return _sizes(found)
