# SPDX-License-Identifier: Apache-2.0
"""Arrays that a formula fills: windows of signals, positions of triangles, one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.families.creation.sized import OPTIONS, default_float, made, typed
from typedtensors.ops.outcome import Conflicting
from typedtensors.ops.promotion import text
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import example
from typedtensors.shapes import Axis, DType, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value

_N = Dim.name("n")
_DOUBLE = DType.exactly("float64")


@rule(
    *(f"torch.{name}_window" for name in ("hann", "hamming", "blackman", "bartlett")),
    params=f"window_length, periodic=True, *, {OPTIONS}",
    examples=(example(_N), example(8, False), example(8, periodic=True, dtype=_DOUBLE)),
)
@rule(
    "torch.kaiser_window",
    params=f"window_length, periodic=True, beta=12.0, *, {OPTIONS}",
    examples=(example(_N), example(8, False)),
)
def window(call: Call) -> Value:
    """As many weights as a window is long."""
    size = call.dim("window_length")
    return made(call, (Axis(size),), typed(call, default_float(call)))


_SIGNAL = f"sym=True, {OPTIONS}"
_NAMED = ("bartlett", "blackman", "cosine", "hamming", "hann", "nuttall")


def window_of_signal(call: Call) -> Value:
    """As many weights as a window is long, of single or double precision."""
    size, dtype = call.dim("M"), typed(call, default_float(call))
    if at_most(size, Dim.of(-1)):
        raise Conflicting(wording.misused(call.name, f"a window of {size}"))
    if dtype.exact not in (None, "float32", "float64"):
        raise Conflicting(wording.dtype_differs(f"`{call.name}`", "Float32", text(dtype)))
    return made(call, (Axis(size),), dtype)


# A window and what it takes beside its length.
for _names, _given, _settings in (
    (_NAMED, "M", {}),
    (("general_hamming",), "M, *, alpha=0.54", {}),
    (("exponential",), "M, *, center=None, tau=1.0", {}),
    (("gaussian",), "M, *, std=1.0", {}),
    (("kaiser",), "M, *, beta=12.0", {}),
    (("general_cosine",), "M, *, a", {"a": [0.5, 0.5]}),
):
    rule(
        *(f"torch.signal.windows.{name}" for name in _names),
        params=f"{_given}, {_SIGNAL}" if "*" in _given else f"{_given}, *, {_SIGNAL}",
        examples=(
            example(_N, **_settings),
            example(8, sym=False, dtype=_DOUBLE, **_settings),
            example(8, dtype=DType.exactly("int64"), **_settings),
        ),
    )(window_of_signal)


@rule(
    *("torch.tril_indices", "torch.triu_indices"),
    params=f"row, col, offset=0, *, {OPTIONS}",
    examples=(example(3, 4), example(_N, _N, 1), example(4, 4, offset=-1)),
)
def triangle_indices(call: Call) -> Value:
    """A column for each element of a triangle: its row and its column."""
    rows, columns = call.dim("row"), call.dim("col")
    for size in (rows, columns):
        if at_most(size, Dim.of(-1)):
            raise Conflicting(wording.misused(call.name, f"{size} is negative"))
    count = Dim.fresh()
    if rows == columns and call["offset"] == Dim.of(0):
        count = rows * (rows + 1) // 2
    return Tensor(Shape((Axis(Dim.of(2)), Axis(count))), typed(call, promotion.INT64))


@rule(
    "torch.scalar_tensor",
    params=f"s, *, {OPTIONS}",
    examples=(example(1.5), example(2), example(1.0, dtype=_DOUBLE)),
)
def scalar_tensor(call: Call) -> Value:
    """One number, a float unless another dtype is asked for."""
    return Tensor(Shape(()), typed(call, default_float(call)))
