# SPDX-License-Identifier: Apache-2.0
"""Stepping aside inside `zero_grad`, which asks each parameter for its gradient and no more.

torch has no hook there, so both of its methods are replaced, as long as some guard is active.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import torch

from typedtensors.guard.reach.replacement import Replacement
from typedtensors.guard.torch.stepping.leaving import innermost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Asked at each step of a training, where each look-up counts.
_is_compiling = torch.compiler.is_compiling
_CAUSE: Final = "zero_grad"


@contextmanager
def leaving_while_zeroing() -> Iterator[None]:
    """Keep the innermost mode of each thread out of each `zero_grad`."""
    with _OPTIMIZER.active(), _MODULE.active():
        yield


def _quick(original: Callable[..., Any]) -> Callable[..., Any]:
    # Not with the attributes by which Dynamo knows what it must not trace: this it may.
    @wraps(original, updated=())
    def zero_grad(*args: object, **kwargs: object) -> Any:  # noqa: ANN401 - as the original
        if _is_compiling():
            return original(*args, **kwargs)
        mode = innermost()
        if mode is None or not mode.leave(_CAUSE):
            return original(*args, **kwargs)
        try:
            return original(*args, **kwargs)
        finally:
            mode.step_back(_CAUSE)

    return zero_grad


_OPTIMIZER: Final = Replacement(torch.optim.Optimizer, "zero_grad", _quick)
_MODULE: Final = Replacement(torch.nn.Module, "zero_grad", _quick)
