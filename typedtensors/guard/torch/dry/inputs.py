# SPDX-License-Identifier: Apache-2.0
"""Arguments made of annotations: tensors without data, in whatever holds them."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import torch
from torch import Tensor

from typedtensors.guard.torch.dry.sizes import NamedSize, Read, Sizes, UnreadSizeError

Build: TypeAlias = Callable[[Sequence[Tensor]], object]
"""Makes an argument of the tensors that it holds, once they are there."""

_PREFERRED: Final = (
    *(torch.float32, torch.int64, torch.bool, torch.complex64, torch.uint8),
    *(torch.float64, torch.bfloat16, torch.float16, torch.int32, torch.complex128),
)


class UnmadeError(ValueError):
    """An argument that annotations do not tell how to make."""


@dataclass
class Inputs:
    """The tensors of all arguments, and the axes that annotations give to each."""

    sizes: Sizes
    read: Read
    device: torch.device
    tensors: list[Tensor] = field(default_factory=list)
    shapes: list[tuple[NamedSize, ...]] = field(default_factory=list)

    def arguments(
        self, function: Callable[..., object], given: Mapping[str, object]
    ) -> dict[str, Build]:
        """How to make each argument of a function that has no default and is not given.

        Raises:
            UnmadeError: nothing tells how to make one.
        """
        hints = _hints(function)
        made: dict[str, Build] = {}
        for parameter in inspect.signature(function).parameters.values():
            name = parameter.name
            if name in given or parameter.kind in {
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            }:
                continue
            try:
                made[name] = self._make(hints.get(name, Any))
            except UnmadeError as error:
                if parameter.default is parameter.empty:
                    msg = f"`{name}` {error}"
                    raise UnmadeError(msg) from None
        return made

    def _make(self, hint: Any) -> Build:  # noqa: ANN401 - whatever is annotated
        if hasattr(hint, "dim_str") and hasattr(hint, "dtypes"):
            return self._array(hint)
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if origin in {typing.Union, types.UnionType}:
            return self._first(parts)
        if origin is typing.Annotated:
            return self._make(parts[0])
        if origin in {list, Sequence}:
            return _gathered(list, [self._make(parts[0])] * 2)
        if origin is tuple:
            items = [parts[0]] * 2 if parts[-1] is Ellipsis else parts
            return _gathered(tuple, [self._make(each) for each in items])
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            names = [each.name for each in dataclasses.fields(hint) if each.init]
            return self._record(hint, names)
        if hasattr(hint, "_fields") and isinstance(hint, type):
            return self._record(hint, list(hint._fields))  # type: ignore[attr-defined]
        if hint is None or hint is types.NoneType:
            return lambda _: None
        raise UnmadeError(_problem(hint))

    def _array(self, hint: Any) -> Build:  # noqa: ANN401 - an annotation of jaxtyping
        if hint.array_type is not Any and not _is_tensor_class(hint.array_type):
            msg = "is not an array of torch"
            raise UnmadeError(msg)
        try:
            shape = self.sizes.shape(hint.dim_str, self.read)
        except UnreadSizeError as error:
            raise UnmadeError(str(error)) from None
        sizes, index = [axis.size for axis in shape], len(self.tensors)
        self.tensors.append(torch.empty(sizes, dtype=_dtype(hint.dtypes), device=self.device))
        self.shapes.append(shape)
        return lambda tensors: tensors[index]

    def _first(self, parts: Sequence[Any]) -> Build:
        """The first of several kinds that can be made; None is the last resort."""
        in_order = sorted(parts, key=lambda each: each is types.NoneType)
        made = (self._made_or_none(part) for part in in_order)
        found = next((build for build in made if build is not None), None)
        if found is None:
            raise UnmadeError(_problem(parts[0]))
        return found

    def _made_or_none(self, hint: Any) -> Build | None:  # noqa: ANN401 - as above
        try:
            return self._make(hint)
        except UnmadeError:
            return None

    def _record(self, made: type, names: Sequence[str]) -> Build:
        hints = typing.get_type_hints(made)
        fields = {name: self._make(hints.get(name, Any)) for name in names}
        return lambda tensors: made(**{name: build(tensors) for name, build in fields.items()})


def _gathered(kind: type[list[object] | tuple[object, ...]], items: Sequence[Build]) -> Build:
    return lambda tensors: kind(build(tensors) for build in items)


def _hints(function: Callable[..., object]) -> dict[str, Any]:
    inner = inspect.unwrap(function)
    inner = getattr(inner, "__func__", inner)
    cells = zip(
        getattr(getattr(inner, "__code__", None), "co_freevars", ()),
        getattr(inner, "__closure__", None) or (),
        strict=False,
    )
    enclosing = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
    try:
        return typing.get_type_hints(inner, localns=enclosing, include_extras=True)
    except (NameError, TypeError, SyntaxError) as error:
        msg = f"has annotations that cannot be read: {error}"
        raise UnmadeError(msg) from None


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _problem(hint: object) -> str:
    if hint is Any or hint is inspect.Parameter.empty:
        return "has no annotation"
    if _is_tensor_class(hint):
        return "is annotated without a shape"
    return f"is annotated as {getattr(hint, '__name__', hint)}, which is no array"


def _is_tensor_class(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, Tensor)


def _dtype(accepted: Any) -> torch.dtype:  # noqa: ANN401 - names of dtypes, or whatever jaxtyping has for any
    """The most usual dtype of those that an annotation accepts."""
    names = set(accepted) if isinstance(accepted, (tuple, list)) else None
    for dtype in _PREFERRED:
        if names is None or str(dtype).removeprefix("torch.") in names:
            return dtype
    found = (getattr(torch, str(name), None) for name in accepted)
    return next((each for each in found if isinstance(each, torch.dtype)), torch.float32)
