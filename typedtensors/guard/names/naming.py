# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of the arrays of a checked call, at one moment of a run."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from typedtensors.guard.names.axes import seen, text_of, unnamed
from typedtensors.shapes import SpecError, Variadic, parse_spec
from typedtensors.shapes.arrays.named import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typedtensors.guard.names.axes import Arrays, Names, Seen
    from typedtensors.guard.report import Sizes
    from typedtensors.shapes.arrays.named import NamedCall

_MANY: Final = 1 << 12
"""The tensors of a call that ends late must not fill the memory with what became of them."""


class _Named(NamedTuple):
    array: weakref.ref[Any]
    sizes: Sizes
    names: Names
    seen: Seen


class OpenCall:
    """One call of a checked function: its arrays whose axes have names, by identity.

    `outside` are the names that the caller has for what this call names. Names are those of the
    function, so that one name is one size.
    """

    def __init__(
        self, token: object, call: NamedCall, caller: OpenCall | None, arrays: Arrays
    ) -> None:
        self.token = token
        self.outside: dict[str, str] = {}
        self._arrays = arrays
        self._sizes: dict[str, int] = {}
        self._known: dict[int, _Named] = {}
        for given, spec in call.arrays:
            array: Any = given
            sizes = self._sizes_of(array)
            if sizes is not None:
                names = _names_in(spec, sizes)
                self._learn(sizes, names, None if caller is None else caller.names_of(array))
                self.name(array, names)

    def _sizes_of(self, array: object) -> Sizes | None:
        arrays = self._arrays
        if not isinstance(array, arrays.kinds) or not arrays.is_plain(array):
            return None
        return arrays.sizes(array)

    def _learn(self, sizes: Sizes, names: Names, before: Names | None) -> None:
        for name, size in zip(names, sizes, strict=True):
            if name is not None and size is not None:
                self._sizes[name] = size
        for name, outer in zip(names, before or (), strict=False):
            if name is not None and outer is not None:
                self.outside.setdefault(name, outer)

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each name that has a known one, arithmetic aside."""
        return {name: size for name, size in self._sizes.items() if name.isidentifier()}

    def names_of(self, array: Any) -> Names | None:  # noqa: ANN401 - of the framework
        """What the axes of an array are called in this call."""
        known = self._find(array)
        return None if known is None else known.names

    def look(self, array: Any) -> Seen | None:  # noqa: ANN401 - as above
        """An array as rules see it; None if it is none of the framework's, or has no known rank."""
        if not isinstance(array, self._arrays.kinds):
            return None
        known = self._find(array)
        if known is not None:
            return known.seen
        sizes = self._arrays.sizes(array)
        return None if sizes is None else unnamed(sizes, array.dtype)

    def _find(self, array: Any) -> _Named | None:  # noqa: ANN401 - as above
        known = self._known.get(id(array))
        # Another one may have come to that place, or this one may have been turned in place.
        if known is None or known.array() is not array or known.sizes != self._arrays.sizes(array):
            return None
        return known

    def name(self, array: Any, names: Names) -> None:  # noqa: ANN401 - as above
        """Note what the axes of an array are called, as far as its sizes agree."""
        self._known.pop(id(array), None)
        sizes = self._arrays.sizes(array)
        if sizes is None or len(names) != len(sizes):
            return
        pairs = zip(names, sizes, strict=True)
        agreed = tuple([name if self._agrees(name, size) else None for name, size in pairs])
        if agreed.count(None) == len(agreed):
            return
        if len(self._known) >= _MANY:
            self._forget_the_dead()
        told = seen(sizes, array.dtype, agreed)
        self._known[id(array)] = _Named(weakref.ref(array), sizes, agreed, told)

    def _agrees(self, name: str | None, size: int | None) -> bool:
        known = None if name is None else self._sizes.get(name)
        return known is None or size is None or known == size

    def _forget_the_dead(self) -> None:
        self._known = {
            key: known for key, known in self._known.items() if known.array() is not None
        }

    def knows_any(self, arguments: Iterable[object]) -> bool:
        """Whether some argument has names, or some item of a list of arrays."""
        for each in arguments:
            if id(each) in self._known:
                return True
            if isinstance(each, (tuple, list)) and self.knows_any(each):
                return True
        return False

    def hand_over(self, caller: OpenCall) -> None:
        """Tell the caller what it would call the axes of the arrays that are left of this call."""
        for known in self._known.values():
            array = known.array()
            if array is not None and caller.names_of(array) is None:
                outer = (None if name is None else self.outside.get(name) for name in known.names)
                caller.name(array, tuple(outer))


class Naming:
    """The checked calls that a thread is in, innermost last.

    `note` is told of each call when it is first met: its function, and the sizes of its dims.
    """

    def __init__(self, arrays: Arrays, note: Callable[[str, Mapping[str, int]], None]) -> None:
        self._calls: list[OpenCall] = []
        self._arrays = arrays
        self._note = note

    def current(self) -> OpenCall | None:
        """The call that the thread is in."""
        token = None if CALLS.innermost is None else CALLS.innermost()
        if self._calls and self._calls[-1].token is token:
            return self._calls[-1]
        if token is None:
            self._calls.clear()
            return None
        return self._change()

    def _change(self) -> OpenCall:
        active = CALLS.active()
        while self._calls and not any(self._calls[-1].token is each for each in active):
            ended = self._calls.pop()
            if self._calls:
                ended.hand_over(self._calls[-1])
        # Also those in which nothing was computed before they called the next.
        for each in active[_place_of(self._calls[-1].token, active) + 1 if self._calls else 0 :]:
            call = CALLS.describe(each)
            caller = self._calls[-1] if self._calls else None
            self._calls.append(OpenCall(each, call, caller, self._arrays))
            self._note(call.function, self._calls[-1].sizes)
        return self._calls[-1]


def _place_of(token: object, active: Sequence[object]) -> int:
    return max(place for place, each in enumerate(active) if each is token)


def _names_in(spec: str, sizes: Sizes) -> Names:
    """The names that a spec gives to the axes of an array of these sizes that fits it."""
    try:
        parts = parse_spec(spec).shape().axes
    except SpecError:
        return (None,) * len(sizes)
    names: list[str | None] = []
    for part in parts:
        if isinstance(part, Variadic):
            names += [None] * (len(sizes) - len(parts) + 1)
        else:
            flexible = part.flexible and sizes[len(names)] in {1, None}
            declared = bool(part.dim.atoms) and part.dim.declared
            names.append(text_of(part.dim) if declared and not flexible else None)
    return tuple(names) if len(names) == len(sizes) else (None,) * len(sizes)
