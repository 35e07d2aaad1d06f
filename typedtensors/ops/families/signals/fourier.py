# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: axes cut or padded to a length, halved where the values are real.

Source: https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.call import Framework
from typedtensors.ops.families.creation.sized import OPTIONS, default_float, made, typed
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.axes.positions import position, positions
from typedtensors.ops.steps.matrices import complexed
from typedtensors.shapes import ANY, Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value
    from typedtensors.shapes import Part

_HOME = "torch.fft."
_COMPLEX = "Complex64"


def _whole(part: Part, given: Dim | None) -> Axis:
    """An axis whose length stays, or is the one that is asked for."""
    if given is not None:
        return Axis(given)
    return part if isinstance(part, Axis) else Axis(Dim.fresh())


def _halved(part: Part, given: Dim | None) -> Axis:
    """Of real values half of the frequencies say all."""
    axis = _whole(part, given)
    return Axis(Dim.fresh()) if axis.flexible else Axis(axis.dim // 2 + 1)


def _doubled(part: Part, given: Dim | None) -> Axis:
    """The length of the real values of which these are half of the frequencies."""
    axis = _whole(part, None)
    if given is not None:
        return Axis(given)
    return Axis(Dim.fresh()) if axis.flexible else Axis((axis.dim - 1) * 2)


_COMPLEX_TO_REAL = ("irfft", "hfft")
_REAL_TO_COMPLEX = ("rfft", "ihfft")


def _length(call: Call, given: Value) -> Dim | None:
    if given is None:
        return None
    size = given if isinstance(given, Dim) else Dim.fresh()
    if at_most(size, Dim.of(0)):
        raise Conflicting(wording.misused(call.name, f"a length of {size}"))
    return size


def _last(kind: str) -> Callable[[Part, Dim | None], Axis]:
    """What becomes of the last of the axes that are transformed."""
    if kind in _COMPLEX_TO_REAL:
        return _doubled
    return _halved if kind in _REAL_TO_COMPLEX else _whole


def _dtype(call: Call, kind: str, array: Tensor) -> DType:
    held = promotion.kinds(array.dtype)
    if kind in _REAL_TO_COMPLEX and held == frozenset({"complex"}):
        actual = promotion.text(array.dtype)
        where = wording.argument("input", call.name)
        raise Conflicting(wording.dtype_differs(where, "Float", actual))
    if held is None or held & {"bool"}:
        return ANY
    if kind in _COMPLEX_TO_REAL:
        return promotion.real(promotion.floating(Framework.TORCH, array.dtype))
    return complexed(array.dtype)


def _transformed(call: Call, kind: str, lengths: dict[int, Dim | None], last: int) -> Tensor:
    """The array with the axes at these positions transformed."""
    array = call.tensor("input")
    parts = list(array.shape.axes)
    for at, given in lengths.items():
        resize = _last(kind) if at == last else _whole
        parts[at] = resize(parts[at], given)
    if any(isinstance(part, Axis) and at_most(part.dim, Dim.of(0)) for part in parts):
        raise Undetermined("nothing may be left of an axis")
    return Tensor(Shape(tuple(parts)), _dtype(call, kind, array))


def _along(kind: str) -> Callable[[Call], Tensor]:
    """A rule: the transform along one axis."""

    def apply(call: Call) -> Tensor:
        shape = call.tensor("input").shape
        if shape.rank == 0:
            raise Undetermined("torch may let a scalar pass")
        at = position(call, shape, call["dim"])
        return _transformed(call, kind, {at: _length(call, call["n"])}, at)

    return apply


def _examples(spec: str, dtype: str) -> tuple[Array, Array]:
    return Array(spec, dtype), Array(f"*a {spec.rpartition(' ')[2]}", dtype)


for _kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _type = _COMPLEX if _kind in _COMPLEX_TO_REAL else "Float32"
    rule(
        f"{_HOME}{_kind}",
        params="input, n=None, dim=-1, norm=None, *, out=None",
        examples=(
            *(example(array) for array in _examples("b n", _type)),
            example(Array("b n", _type), 8),
            example(Array("n b", _type), dim=0),
            example(Array("b n", _type), Dim.name("m"), -1, "ortho"),
            example(Array("b n", _type), dim=2),
        ),
    )(_along(_kind))


def _along_of_numpy(kind: str) -> Callable[[Call], Tensor]:
    """As that of torch, in NumPy's words; NumPy takes any numbers for complex ones."""

    def apply(call: Call) -> Tensor:
        array = call.tensor("a")
        if array.shape.rank == 0:
            raise Undetermined("a scalar has no axis")
        at = position(call, array.shape, call["axis"])
        axis = _last(kind)(array.shape.axes[at], _length(call, call["n"]))
        if at_most(axis.dim, Dim.of(0)):
            raise Undetermined("nothing may be left of an axis")
        dtype = DType.named("Float" if kind in _COMPLEX_TO_REAL else "Complex")
        return Tensor(array.shape.replace(at, axis), dtype)

    return apply


for _kind in ("fft", "ifft", "rfft", "irfft"):
    rule(
        f"numpy.fft.{_kind}",
        params="a, n=None, axis=-1, norm=None",
        examples=(
            example(Array("b n", "Float64")),
            example(Array("*a n", "Float64")),
            example(Array("b n", "Float64"), 8),
            example(Array("n b", "Float64"), axis=0),
            example(Array("b n", "Float64"), axis=2),
        ),
    )(_along_of_numpy(_kind))


def _over(kind: str) -> Callable[[Call], Tensor]:
    """A rule: the transform over several axes, the last of which may be halved."""

    def apply(call: Call) -> Tensor:
        shape, sizes = call.tensor("input").shape, call["s"]
        if sizes is not None and not isinstance(sizes, (tuple, list)):
            raise Undetermined("the lengths are not known")
        dims = call["dim"]
        if dims is None and shape.rank is None:
            raise Undetermined("the axes are not known")
        if dims is None:
            count = len(shape.axes) if sizes is None else len(sizes)
            dims = tuple(Dim.of(at) for at in range(-count, 0))
        at = positions(call, shape, dims)
        given = (None,) * len(at) if sizes is None else sizes
        if not at or len(given) != len(at):
            raise Undetermined("another number of lengths than axes")
        if Dim.of(-1) in given:
            raise Undetermined("a length that stays")
        lengths = {one: _length(call, size) for one, size in zip(at, given, strict=True)}
        return _transformed(call, kind, lengths, at[-1])

    return apply


for _kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _type = _COMPLEX if _kind in _COMPLEX_TO_REAL else "Float32"
    for _name, _dims in ((f"{_kind}2", "(-2, -1)"), (f"{_kind}n", "None")):
        rule(
            f"{_HOME}{_name}",
            params=f"input, s=None, dim={_dims}, norm=None, *, out=None",
            examples=(
                example(Array("b h w", _type)),
                example(Array("b h w", _type), (8, 6)),
                example(Array("h w c", _type), dim=(0, 1)),
                example(Array("b h w", _type), (5, 6), (1, 2), "ortho"),
                example(Array("h w", _type), dim=(0, 3)),
            ),
        )(_over(_kind))


@rule(
    *(f"{_HOME}fftshift", f"{_HOME}ifftshift"),
    params="input, dim=None",
    examples=(
        example(Array("b n")),
        example(Array("*a n"), -1),
        example(Array("b h w"), (1, 2)),
        example(Array("b h"), 2),
    ),
)
def shifted(call: Call) -> Value:
    """The same values in another order."""
    array = call.tensor("input")
    dims = call["dim"]
    if array.shape.rank == 0:
        raise Undetermined("torch may let a scalar pass")
    for each in dims if isinstance(dims, (tuple, list)) else () if dims is None else (dims,):
        position(call, array.shape, each)
    return array


@rule(
    f"{_HOME}fftfreq",
    params=f"n, d=1.0, *, {OPTIONS}",
    examples=(example(Dim.name("n")), example(8, 0.5)),
)
@rule(
    f"{_HOME}rfftfreq",
    params=f"n, d=1.0, *, {OPTIONS}",
    examples=(example(Dim.name("n")), example(9, d=0.5)),
)
def frequencies(call: Call) -> Value:
    """The frequency of each element of a transform."""
    size = call.dim("n")
    count = size // 2 + 1 if call.name == "rfftfreq" else size
    if at_most(size, Dim.of(-1)):
        raise Undetermined("a negative length")
    return made(call, (Axis(count),), typed(call, default_float(call)))
