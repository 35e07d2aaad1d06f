# SPDX-License-Identifier: Apache-2.0
"""What a call that failed tells of sizes: a layer for 784 features says what `features` is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import torch
from torch import Tensor

from typedtensors.guard.torch.operands import plain


@dataclass(frozen=True)
class _Shape:
    """Stands for a tensor: its sizes, and which of them are known whatever the names are."""

    sizes: tuple[int, ...]
    settled: tuple[bool, ...]
    dtype: torch.dtype

    def pairs(self) -> Iterator[tuple[int, bool]]:
        """Each size, and whether it is settled."""
        return zip(self.sizes, self.settled, strict=True)


@dataclass(frozen=True)
class Failure:
    """A call of torch that raised, without its tensors."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @classmethod
    def of(
        cls, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Failure:
        """The call, as far as shapes go."""
        named = {name: _each(value, _described) for name, value in kwargs.items()}
        return cls(function, _each(args, _described), named)

    def lesson(self, names: Mapping[str, int]) -> tuple[str, int] | None:
        """The one name, and its size, that lets the call pass; None if there are several.

        Only a size that some tensor has whatever the names are can be that of a name.
        """
        shapes = [*_shapes((self.args, self.kwargs))]
        settled = {s for each in shapes for s, is_settled in each.pairs() if is_settled and s > 1}
        open_ = {s for each in shapes for s, is_settled in each.pairs() if not is_settled}
        met = [(name, size) for name, size in names.items() if size in open_]
        found = [
            (name, size)
            for (name, prime), size in product(met, sorted(settled))
            if self._passes({prime: size})
        ]
        return found[0] if len(found) == 1 else None

    def _passes(self, replaced: Mapping[int, int]) -> bool:
        def made(value: object) -> object:
            if not isinstance(value, _Shape):
                return value
            sizes = [s if done else replaced.get(s, s) for s, done in value.pairs()]
            return torch.empty(sizes, dtype=value.dtype, device="meta")

        try:
            self.function(*_each(self.args, made), **_each(self.kwargs, made))
        except Exception:  # noqa: BLE001 - whatever torch makes of sizes that do not fit
            return False
        return True


def _described(value: object) -> object:
    if not isinstance(value, Tensor):
        return plain(value) if isinstance(value, torch.SymInt) else value
    settled = tuple(type(size) is int for size in value.shape)
    return _Shape(tuple(map(plain, value.shape)), settled, value.dtype)


def _shapes(value: object) -> Iterator[_Shape]:
    if isinstance(value, _Shape):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _shapes(each)
    elif isinstance(value, dict):
        yield from _shapes(list(value.values()))


def _each(value: Any, change: Callable[[object], object]) -> Any:  # noqa: ANN401 - arguments of any kind
    """The value with each thing in its lists, tuples and dicts changed."""
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        return type(value)(_each(item, change) for item in value)
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    return change(value)
