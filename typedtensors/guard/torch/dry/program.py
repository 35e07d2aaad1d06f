# SPDX-License-Identifier: Apache-2.0
"""From a function and its annotations to the events of a run, learning sizes on the way."""

from __future__ import annotations

import inspect
import linecache
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.export import Dim

from typedtensors.diagnostics import wording
from typedtensors.guard.reading.frames import Scope
from typedtensors.guard.report import DryRunError, GuardEvent
from typedtensors.guard.torch.dry.inputs import Inputs, UnmadeError
from typedtensors.guard.torch.dry.rehearsal import Rehearsal, rehearse
from typedtensors.guard.torch.dry.sizes import Read, Sizes
from typedtensors.guard.torch.place import FRAMES
from typedtensors.shapes.broadcast import Level

_OP: Final = "dry_run"
_LESSONS: Final = 32
"""How many sizes layers may teach before something else is wrong."""


def events_of(
    function: Callable[..., object],
    level: Level,
    sizes: Mapping[str, int],
    given: Mapping[str, object],
) -> tuple[GuardEvent, ...]:
    """The events of a run in which each name that is not in `sizes` is a size of its own.

    Raises:
        DryRunError: an argument cannot be made, or the program raises an error of its own.
    """
    if not hasattr(Dim, "AUTO"):
        problem = f"needs torch 2.6 or newer, and this is {torch.__version__}"
        raise DryRunError(wording.misused(_OP, problem))
    known = dict(sizes)
    for _ in range(_LESSONS):
        inputs, done = _run(function, level, known, given)
        if done.error is None:
            return done.events
        lesson = None if done.failure is None else done.failure.lesson(inputs.sizes.primes)
        if lesson is None:
            break
        known |= dict([lesson])
    found = (*done.events, *(() if done.clash is None else (done.clash,)))
    if found:
        return found
    raise _untraceable(done, inputs.sizes) from done.error


def _run(
    function: Callable[..., object],
    level: Level,
    sizes: Mapping[str, int],
    given: Mapping[str, object],
) -> tuple[Inputs, Rehearsal]:
    called = function.forward if isinstance(function, nn.Module) else function
    modules = _modules(called, given)
    inputs = Inputs(Sizes(dict(sizes)), _reader(called, given), _device(modules))
    try:
        builds = inputs.arguments(called, given)
    except UnmadeError as error:
        hint = "annotate its shape, or pass its value in `given={...}`"
        raise DryRunError(wording.misused(_OP, str(error), hint=hint)) from None
    if not inputs.tensors:
        problem = "no argument is annotated with a shape"
        hint = '`x: Float[Tensor, "batch features"]`'
        raise DryRunError(wording.misused(_OP, problem, hint=hint))
    signature = inspect.signature(called)

    def call(tensors: Sequence[Tensor]) -> object:
        bound = signature.bind_partial()
        values = {name: build(tensors) for name, build in builds.items()} | dict(given)
        bound.arguments |= {name: values[name] for name in signature.parameters if name in values}
        return function(*bound.args, **bound.kwargs)

    return inputs, rehearse(call, inputs, modules, level)


def _modules(called: Callable[..., object], given: Mapping[str, object]) -> dict[str, nn.Module]:
    """The modules that a function can reach: its own, what it closes over, what it is given."""
    found = {"self": getattr(called, "__self__", None), **given}
    inner = inspect.unwrap(called)
    inner = getattr(inner, "__func__", inner)
    if inspect.isfunction(inner):
        variables = inspect.getclosurevars(inner)
        found |= {**variables.globals, **variables.nonlocals}
    return {name: value for name, value in found.items() if isinstance(value, nn.Module)}


def _device(modules: Mapping[str, nn.Module]) -> torch.device:
    state = (each.device for module in modules.values() for each in module.parameters())
    return next(state, torch.device("cpu"))


def _reader(called: Callable[..., object], given: Mapping[str, object]) -> Read:
    """Reads `self.d` of `{self.d}`: attributes of the arguments that are there already."""
    known = {"self": getattr(called, "__self__", None), **given}
    for parameter in inspect.signature(called).parameters.values():
        if parameter.default is not parameter.empty:
            known.setdefault(parameter.name, parameter.default)

    def read(text: str) -> Any:  # noqa: ANN401 - whatever the attribute is
        first, *attributes = text.split(".")
        value: Any = known.get(first)
        for name in attributes:
            value = getattr(value, name, None)
        return value

    return read


def _untraceable(done: Rehearsal, sizes: Sizes) -> DryRunError:
    """What the program raised, where it did, and what can be done about it."""
    kind = type(done.error).__name__
    said = next((line.strip() for line in done.said.splitlines() if line.strip()), "")
    problem = f"{_place(done.error)} raises {kind}: {said}"
    if "data-dependent" in done.said or "DataDependent" in kind:
        hint = "what happens there depends on values: leave it out of the function that is run dry"
    elif sizes.primes:
        name = next(iter(sizes.primes))
        hint = f"if a name cannot be any size, say which it is: `sizes={{{name!r}: ...}}`"
    else:
        hint = None
    return DryRunError(wording.misused(_OP, problem, hint=hint))


def _place(error: Exception | None) -> str:
    """The innermost line of the program in a traceback."""
    frames = [] if error is None else list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        file = frame.f_code.co_filename
        if FRAMES.scope(frame.f_code) in {Scope.PROJECT, Scope.LIBRARY}:
            return f"{file}:{line} `{linecache.getline(file, line).strip()}`"
    return "the program"
