# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of the tensors of a checked call, at one moment of a run."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import torch
from torch import Tensor

from typedtensors.guard.torch.names.following import names_after, seen, text_of, unnamed
from typedtensors.shapes import SpecError, Variadic, parse_spec
from typedtensors.shapes.arrays.named import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from typedtensors.guard.torch.names.following import Names, Seen
    from typedtensors.shapes.arrays.named import NamedCall

_MANY: Final = 1 << 12
"""The tensors of a call that ends late must not fill the memory with what became of them."""


class _Named(NamedTuple):
    tensor: weakref.ref[Tensor]
    shape: torch.Size
    names: Names
    seen: Seen


class OpenCall:
    """One call of a checked function: its tensors whose axes have names, by identity.

    `outside` are the names that the caller has for what this call names. Names are those of the
    function, so that one name is one size.
    """

    def __init__(self, token: object, call: NamedCall, caller: OpenCall | None) -> None:
        self.token = token
        self.outside: dict[str, str] = {}
        self._sizes: dict[str | None, int] = {}
        self._tensors: dict[int, _Named] = {}
        for array, spec in call.arrays:
            if isinstance(array, Tensor) and _is_plain(array):
                names = _names_in(spec, array)
                self._learn(array, names, None if caller is None else caller.names_of(array))
                self.name(array, names)

    def _learn(self, array: Tensor, names: Names, before: Names | None) -> None:
        pairs = zip(names, array.shape, strict=True)
        self._sizes |= {name: size for name, size in pairs if name is not None}
        for name, outer in zip(names, before or (), strict=False):
            if name is not None and outer is not None:
                self.outside.setdefault(name, outer)

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each name, arithmetic aside."""
        return {name: size for name, size in self._sizes.items() if name and name.isidentifier()}

    def names_of(self, tensor: Tensor) -> Names | None:
        """What the axes of a tensor are called in this call."""
        known = self._known(tensor)
        return None if known is None else known.names

    def look(self, tensor: Tensor) -> Seen:
        """A tensor as rules see it."""
        known = self._known(tensor)
        return unnamed(tensor.shape, tensor.dtype) if known is None else known.seen

    def _known(self, tensor: Tensor) -> _Named | None:
        known = self._tensors.get(id(tensor))
        # Another one may have come to that place, or this one may have been turned in place.
        if known is None or known.tensor() is not tensor or known.shape != tensor.shape:
            return None
        return known

    def name(self, tensor: Tensor, names: Names) -> None:
        """Note what the axes of a tensor are called, as far as its sizes agree."""
        shape, key = tensor.shape, id(tensor)
        self._tensors.pop(key, None)
        if len(names) != len(shape):
            return
        pairs, sizes = zip(names, shape, strict=True), self._sizes
        # No size is None, so that what has no name stays so.
        agreed = tuple([name if sizes.get(name) == size else None for name, size in pairs])
        if agreed.count(None) == len(agreed):
            return
        if len(self._tensors) >= _MANY:
            self._forget_the_dead()
        told = seen(shape, tensor.dtype, agreed)
        self._tensors[key] = _Named(weakref.ref(tensor), shape, agreed, told)

    def _forget_the_dead(self) -> None:
        alive = [(key, known) for key, known in self._tensors.items() if known.tensor() is not None]
        self._tensors = dict(alive)

    def follow(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
        result: object,
    ) -> None:
        """Name the axes of what the function made of tensors of this call."""
        if not isinstance(result, (Tensor, tuple, list)) or isinstance(result, torch.Size):
            return
        found: tuple[Names | None, ...] = ()
        if self._knows_any(args) or (kwargs and self._knows_any(kwargs.values())):
            found = names_after(function, args, kwargs, self.look)
        parts = (result,) if isinstance(result, Tensor) else result
        for each, names in zip(parts, found or (None,) * len(parts), strict=False):
            if isinstance(each, Tensor):
                # An operation in place that no rule knows may have turned the tensor.
                self.name(each, names or ())

    def _knows_any(self, arguments: Iterable[object]) -> bool:
        """Whether some argument has names, or some item of a list of tensors."""
        for each in arguments:
            if id(each) in self._tensors:
                return True
            if isinstance(each, (tuple, list)) and self._knows_any(each):
                return True
        return False

    def hand_over(self, caller: OpenCall) -> None:
        """Tell the caller what it would call the axes of the tensors that are left of this call."""
        for known in self._tensors.values():
            tensor = known.tensor()
            if tensor is not None and caller.names_of(tensor) is None:
                outer = (None if name is None else self.outside.get(name) for name in known.names)
                caller.name(tensor, tuple(outer))


class Naming:
    """The checked calls that a thread is in, innermost last.

    `note` is told of each call when it is first met: its function, and the sizes of its dims.
    """

    def __init__(self, note: Callable[[str, Mapping[str, int]], None]) -> None:
        self._calls: list[OpenCall] = []
        self._note = note

    def current(self) -> OpenCall | None:
        """The call that the thread is in."""
        token = None if CALLS.innermost is None else CALLS.innermost()
        if self._calls and self._calls[-1].token is token:
            return self._calls[-1]
        if token is None:
            self._calls.clear()
            return None
        return self._change_to(token)

    def _change_to(self, token: object) -> OpenCall:
        active = CALLS.active()
        while self._calls and not any(self._calls[-1].token is each for each in active):
            ended = self._calls.pop()
            if self._calls:
                ended.hand_over(self._calls[-1])
        if not self._calls or self._calls[-1].token is not token:
            call = CALLS.describe(token)
            caller = self._calls[-1] if self._calls else None
            self._calls.append(OpenCall(token, call, caller))
            self._note(call.function, self._calls[-1].sizes)
        return self._calls[-1]


def _is_plain(tensor: Tensor) -> bool:
    return not tensor.is_nested and all(type(size) is int for size in tensor.shape)


def _names_in(spec: str, tensor: Tensor) -> Names:
    """The names that a spec gives to the axes of a tensor that fits it."""
    try:
        parts = parse_spec(spec).shape().axes
    except SpecError:
        return (None,) * tensor.dim()
    names: list[str | None] = []
    for part in parts:
        if isinstance(part, Variadic):
            names += [None] * (tensor.dim() - len(parts) + 1)
        else:
            flexible = part.flexible and tensor.shape[len(names)] == 1
            declared = bool(part.dim.atoms) and part.dim.declared
            names.append(text_of(part.dim) if declared and not flexible else None)
    return tuple(names) if len(names) == tensor.dim() else (None,) * tensor.dim()
