# SPDX-License-Identifier: Apache-2.0
"""The calls that torch's own test inputs make: each as the rules see it, and what torch gave."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from tests.ops.frameworks import Raised
from tests.ops.samples.elements import results
from tests.ops.samples.seen import Sight
from tests.ops.scenes import walk
from typedtensors.ops import canonical
from typedtensors.ops.catalog.surface import is_public

# Whole modules of functions of torch's that are not among those that can be overridden.
_OUTSIDE = ("torch.masked.", "torch.signal.")


@dataclass(frozen=True)
class Recorded:
    """One call: its op, the arguments as each sight has them, and torch's result.

    `others` makes it again with other elements, and gives the results.
    """

    op: str
    seen: tuple[tuple[Sight, tuple[Any, ...], dict[str, Any]], ...]
    result: Any
    others: Callable[[], Iterable[Any]] = tuple


class Recorder(TorchFunctionMode):
    """Records the calls of torch that its context makes, not those that torch makes itself."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Recorded] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.record(name_of(func), func, args, kwargs or {})

    def record(self, op: str, func: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Make a call, and keep what was given to it before it changes that."""
        sights = (Sight(), Sight(symbolic=True))
        seen = tuple((each, each.value(tuple(args)), each.value(kwargs)) for each in sights)
        try:
            result = func(*args, **kwargs)
        except Exception as error:
            self.calls.append(Recorded(op, seen, Raised(error)))
            raise
        others = partial(results, func, args, kwargs)
        self.calls.append(Recorded(op, seen, _kept(result), others))
        return result


def _kept(result: Any) -> Any:
    """A result with the shape that it has now, whatever is done to it later."""
    if isinstance(result, torch.Tensor):
        return result.detach()
    if isinstance(result, (list, tuple)) and not isinstance(result, torch.Size):
        return [_kept(each) for each in result]
    return result


def recorded(op: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Recorded]:
    """The calls behind one sample that make something; the last of them may have raised."""
    recorder = Recorder()
    name = name_of(op)
    try:
        if name.startswith(_OUTSIDE):
            recorder.record(name, op, args, kwargs)
        else:
            with recorder:
                op(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - whatever torch raises, it rejects
        if not recorder.calls or not isinstance(recorder.calls[-1].result, Raised):
            # Python's own code in torch raised it, before any call.
            recorder.calls.append(Recorded(name, (), Raised(error)))
    return [*filter(_makes, recorder.calls[:-1]), *recorder.calls[-1:]]


def _makes(call: Recorded) -> bool:
    """Whether a call makes an array or a number: no setting of torch's, no error it catches."""
    leaves = walk([call.result])
    return any(isinstance(leaf, (torch.Tensor, int, float, complex)) for leaf in leaves)


def is_private(op: str) -> bool:
    """Whether an op is a part of torch's insides, under no name that people write."""
    return op.startswith("aten.") or "jiterator" in op or not is_public(op)


@cache
def name_of(func: Any) -> str:
    """The full name of a function of torch's, as the rules have it."""
    name = resolve_name(func)
    if name is None:
        own = getattr(func, "__name__", "")
        if getattr(torch, own, None) is func:
            name = f"torch.{own}"
        else:
            name = f"{inspect.getmodule(func) and func.__module__}.{own}"
    return canonical(name.removesuffix(".__get__"))
