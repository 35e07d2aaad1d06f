# SPDX-License-Identifier: Apache-2.0
"""Windows: weights for the elements of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops.families.creation.sized import OPTIONS, default_float, made, typed
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.promotion import text
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import example
from typedtensors.shapes import Axis, DType

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


@rule(
    *(f"numpy.{name}" for name in ("hanning", "hamming", "blackman", "bartlett")),
    params="M",
    examples=(example(_N), example(8), example(0)),
)
@rule("numpy.kaiser", params="M, beta", examples=(example(_N, 14.0), example(8, 2.0)))
def window_of_numpy(call: Call) -> Value:
    """As many weights as a window is long, of double precision."""
    size = call.dim("M")
    if at_most(size, Dim.of(-1)):
        raise Undetermined("a window of less than nothing is empty")
    return made(call, (Axis(size),), _DOUBLE)


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
