# SPDX-License-Identifier: Apache-2.0
"""One run of a program by `torch.export`, with a look at each call that can broadcast."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.overrides import TorchFunctionMode

from typedtensors.guard.door import survive
from typedtensors.guard.reading.frames import Scope
from typedtensors.guard.report import GuardEvent
from typedtensors.guard.torch.dry.inputs import Inputs
from typedtensors.guard.torch.dry.learning import Failure
from typedtensors.guard.torch.dry.sizes import Texts
from typedtensors.guard.torch.examiner import examiners
from typedtensors.guard.torch.graph import HELPERS
from typedtensors.guard.torch.operands import is_plain
from typedtensors.guard.torch.place import FRAMES
from typedtensors.shapes.arrays.intended import mark, watching
from typedtensors.shapes.broadcast import Level


@dataclass(frozen=True)
class Rehearsal:
    """What came of a run.

    `error` is what the program raised, `said` its text by the names of sizes, `failure` the call of
    torch that raised it, and `clash` the event that different sizes meet there, if they do.
    """

    events: tuple[GuardEvent, ...]
    error: Exception | None = None
    said: str = ""
    failure: Failure | None = None
    clash: GuardEvent | None = None


class _OverError(BaseException):
    """The program has run, and nobody wants its graph."""


class _Program(nn.Module):
    """What `torch.export` is given: the program, and the modules that it uses."""

    def __init__(self, run: Callable[..., None], modules: Mapping[str, nn.Module]) -> None:
        super().__init__()
        self._run = run
        self.modules_used = nn.ModuleList(modules.values())

    def forward(self, *tensors: Tensor) -> None:
        self._run(*tensors)


class _Watching(TorchFunctionMode):
    """Collects the events of a run, in which sizes are symbols."""

    def __init__(self, level: Level, texts: Texts) -> None:
        super().__init__()
        self.events: list[GuardEvent] = []
        self.clash: GuardEvent | None = None
        self.failure: Failure | None = None
        self._texts = texts
        self._examiners = examiners(level)

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,  # noqa: ANN401 - torch's own signature
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401
        """Pass the call on, after a look at its shapes."""
        named = dict(kwargs or {})
        clash = self._look(func, args, named)
        try:
            result = func(*args, **named)
        except Exception:
            self.failure, self.clash = Failure.of(func, args, named), clash
            raise
        if isinstance(result, Tensor):
            self._texts.note(result)
            if _is_in_a_helper():
                mark(result, traced=True)
        return result

    def _look(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> GuardEvent | None:
        """Note the event that the call is, or return it if torch is about to reject the call."""
        examiner = self._examiners.get(func)
        if examiner is None:
            return None
        try:
            seen = examiner.examine_named(args, kwargs, self._texts.spec)
        except Exception as error:  # noqa: BLE001 - the one door for our own bugs
            if not _has_open_sizes((*args, *kwargs.values())):
                survive(error, f"looking at `{func.__name__}`")
            return None
        if seen is None or seen.clash:
            return None if seen is None else seen.event
        self.events.append(seen.event)
        return None


def rehearse(
    call: Callable[[Sequence[Tensor]], object],
    inputs: Inputs,
    modules: Mapping[str, nn.Module],
    level: Level,
) -> Rehearsal:
    """Make the call with the inputs, each of whose open sizes is a symbol."""
    texts = Texts()
    mode = _Watching(level, texts)
    raised: list[Exception] = []

    def run(*tensors: Tensor) -> None:
        for tensor, axes in zip(tensors, inputs.shapes, strict=True):
            texts.learn(tensor, [axis.name for axis in axes])
            texts.note(tensor)
        try:
            with watching(), mode, warnings.catch_warnings():
                # What it warns of is not its data.
                warnings.simplefilter("ignore")
                call(tensors)
        except Exception as error:  # noqa: BLE001 - told by the caller
            raised.append(error)
        raise _OverError

    dims = tuple(
        {at: Dim.AUTO for at, axis in enumerate(axes) if axis.open} for axes in inputs.shapes
    )
    program = _Program(run, modules)
    try:
        torch.export.export(program, tuple(inputs.tensors), dynamic_shapes=(dims,), strict=False)
    except _OverError:
        pass
    except Exception as error:  # noqa: BLE001 - told by the caller
        raised.append(error)
    events = tuple(mode.events)
    if not raised:
        return Rehearsal(events)
    said = texts.written(str(raised[0]))
    return Rehearsal(events, raised[0], said, mode.failure, mode.clash)


def _is_in_a_helper() -> bool:
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the only way to a frame without a traceback
    # Helpers have einops do the work.
    while frame is not None and FRAMES.scope(frame.f_code) is not Scope.PROJECT:
        if frame.f_code.co_filename.startswith(HELPERS):
            return True
        frame = frame.f_back
    return False


def _has_open_sizes(arguments: tuple[Any, ...]) -> bool:
    """Whether some size depends on values, so that it is no integer in this run."""
    tensors = [each for each in arguments if isinstance(each, Tensor)]
    return not all(is_plain(size) for each in tensors for size in each.shape)
