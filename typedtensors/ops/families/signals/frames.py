# SPDX-License-Identifier: Apache-2.0
"""Signals cut into frames for their frequencies, and put together again.

Source: https://docs.pytorch.org/docs/stable/generated/torch.stft.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors.dims import Dim, at_most
from typedtensors.ops import promotion
from typedtensors.ops.outcome import Conflicting, Undetermined
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.matrices import complexed
from typedtensors.shapes import ANY, Axis, Shape, Tensor

if TYPE_CHECKING:
    from typedtensors.ops.call import Call
    from typedtensors.ops.value import Value


@rule(
    *("torch.stft", "torch.Tensor.stft"),
    params="input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
    "pad_mode='reflect', normalized=False, onesided=None, return_complex=None, "
    "align_to_window=None",
    examples=(
        example(Array("b 40"), 8, return_complex=True),
        example(Array("40"), 8, 4, return_complex=True),
        example(Array("b 40"), 8, 2, center=False, return_complex=True),
        example(Array("b 40"), 8, 2, window=Array("8"), onesided=False, return_complex=True),
        example(Array("b 40"), 8, return_complex=False),
        example(Array("b c 40"), 8, return_complex=True),
    ),
)
def stft(call: Call) -> Value:
    """The frequencies of each frame of a signal."""
    array, size = call.tensor("input"), call.dim("n_fft")
    axes = array.shape.fixed
    if axes is None:
        raise Undetermined("the rank is not known")
    if len(axes) not in (1, 2):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch time", array.shape.text))
    frames = _frames(call, axes[-1], size)
    if promotion.kinds(array.dtype) != frozenset({"float"}):
        raise Undetermined("complex signals have other frequencies")
    count = size if call["onesided"] is False else size // 2 + 1
    whole = Shape((*axes[:-1], Axis(count), frames))
    window = call["window"]
    mixed = isinstance(window, Tensor) and window.dtype != array.dtype
    dtype = ANY if mixed else array.dtype
    if call.flag("return_complex"):
        return Tensor(whole, complexed(dtype))
    return Tensor(Shape((*whole.axes, Axis(Dim.of(2)))), dtype)


def _frames(call: Call, time: Axis, size: Dim) -> Axis:
    """How many frames there are, one for each hop."""
    hop = size // 4 if call["hop_length"] is None else call.dim("hop_length")
    if (
        time.flexible
        or call["win_length"] not in (None, size)
        or hop.value is None
        or size.value is None
    ):
        raise Undetermined("the frames are not known")
    if hop.value < 1 or size.value < 1:
        raise Conflicting(wording.misused(call.name, f"frames of {size} each {hop}"))
    window = call["window"]
    if window is not None and (not isinstance(window, Tensor) or window.shape != Shape.of(size)):
        raise Undetermined("the window is not known to fit")
    center = call.flag("center")
    room = time.dim + (size // 2 * 2 if center else Dim.of(0)) - size
    if at_most(time.dim, size // 2 if center else size - 1):
        raise Conflicting(wording.misused(call.name, f"a frame of {size} in a signal of {time}"))
    return Axis(room // hop + 1)


@rule(
    *("torch.istft", "torch.Tensor.istft"),
    params="input, n_fft, hop_length=None, win_length=None, window=None, center=True, "
    "normalized=False, onesided=None, length=None, return_complex=False",
    examples=(
        example(Array("5 9", "Complex64"), 8),
        example(Array("b 5 9", "Complex64"), 8, 2, window=Array("8")),
        example(Array("5 9", "Complex64"), 8, length=20),
        example(Array("8 9", "Complex64"), 8, onesided=False),
        example(Array("b 4 9", "Complex64"), 7),
        example(Array("6 9", "Complex64"), 8),
    ),
)
def istft(call: Call) -> Value:
    """The signal of which these are the frequencies of each frame."""
    array, size = call.tensor("input"), call.dim("n_fft")
    axes = array.shape.fixed
    if axes is None or promotion.kinds(array.dtype) != frozenset({"complex"}):
        raise Undetermined("the frequencies are not known")
    if len(axes) not in (2, 3):
        where = wording.argument("input", call.name)
        raise Conflicting(wording.rank_differs(where, "batch frequency frame", array.shape.text))
    if call["return_complex"] is not False or call["center"] is not True:
        raise Undetermined("the edges of the signal depend on the window")
    _require_frequencies(call, axes[-2], size)
    samples = _samples(call, axes[-1], size)
    length = samples if call["length"] is None else Axis(call.dim("length"))
    if call["length"] is not None and samples.dim.value is None:
        raise Undetermined("the signal may be shorter")
    return Tensor(Shape((*axes[:-2], length)), promotion.real(array.dtype))


def _require_frequencies(call: Call, axis: Axis, size: Dim) -> None:
    """All of a frame's frequencies, or the half that says all of real values."""
    wanted = size if call["onesided"] is False else size // 2 + 1
    given = call.facts.resolve(axis.dim)
    if axis.flexible or given.value is None or wanted.value is None:
        raise Undetermined("the frequencies are not known")
    if given != wanted and not (call["onesided"] is None and given == size):
        where = wording.argument("input", call.name)
        raise Conflicting(
            wording.axis_differs(where, -2, str(wanted), str(given), bound_by="`n_fft`")
        )


def _samples(call: Call, frames: Axis, size: Dim) -> Axis:
    hop = size // 4 if call["hop_length"] is None else call.dim("hop_length")
    window = call["window"]
    if window is not None and (not isinstance(window, Tensor) or window.shape != Shape.of(size)):
        raise Undetermined("the window is not known to fit")
    if isinstance(window, Tensor) and window.dtype != promotion.real(call.tensor("input").dtype):
        raise Undetermined("the window is not known to fit")
    count = call.facts.resolve(frames.dim)
    known = all(number.value is not None for number in (hop, size))
    if frames.flexible or not known or call["win_length"] not in (None, size):
        raise Undetermined("the frames are not known")
    if not 0 < (hop.value or 0) <= (size.value or 0) or at_most(count, Dim.of(0)):
        raise Undetermined("frames that do not overlap")
    if count.value is None or (count.value == 1 and hop.value):
        raise Undetermined("the signal may be empty")
    # Half a frame is cut off at both ends, of an odd one less than all.
    return Axis((count - 1) * hop + (size - size // 2 * 2))
