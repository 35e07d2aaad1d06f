# SPDX-License-Identifier: Apache-2.0
"""Which sizes of a result the elements decide: the same call again, with other ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import torch


def _counting(given: torch.Tensor) -> torch.Tensor:
    return torch.arange(given.numel()).reshape(given.shape).to(given.dtype)


def _last(given: torch.Tensor) -> torch.Tensor:
    """All zeros, but for the last element."""
    others = torch.zeros_like(given)
    others.view(-1)[-1:] = 1
    return others


FILLS: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    torch.zeros_like,
    torch.ones_like,
    _counting,
    _last,
)


def results(func: Callable[..., Any], args: Any, kwargs: Any) -> Iterator[Any]:
    """What a function gives for arrays of the same shapes and dtypes with other elements.

    Elements that it rejects, as an index that is too large, are left out.
    """
    for fill in FILLS:
        with suppress(Exception), torch.random.fork_rng():
            yield func(*_filled(args, fill), **_filled(kwargs, fill))


def _filled(given: Any, fill: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(given, torch.Tensor):
        return fill(given)
    if isinstance(given, (list, tuple)) and not isinstance(given, torch.Size):
        return type(given)(_filled(each, fill) for each in given)
    if isinstance(given, Mapping):
        return {name: _filled(each, fill) for name, each in given.items()}
    return given
