# SPDX-License-Identifier: Apache-2.0
"""Arguments for a function, from what its annotations say: each dim gets a prime of its own."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np
import torch

from tests.oracle.claims import Claims
from tests.tensorflow_arrays import tensor_of
from typedtensors.dims import Atom, Dim, Facts
from typedtensors.ops import SOME_FLOAT, Fields, Framework, Layer, Unknown, Value
from typedtensors.shapes import Axis, DType, Shape, Tensor, Variadic
from typedtensors_mypy.interpreter.joins import contained
from typedtensors_mypy.interpreter.values import (
    Chain,
    Either,
    Foreign,
    Instance,
    Stream,
    options,
)
from typedtensors_mypy.source.modules import AnyFunction

_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
_DTYPES = ("float32", "int64", "bool", "complex64", "uint8", "float64", "float16", "int32")


class CannotMake(Exception):  # noqa: N818 - an answer
    """No argument can be made up."""


class Maker:
    """Makes up the arguments of one call; `has_flags` says whether `flag` was among them."""

    def __init__(
        self, claims: Claims, module: ModuleType, given: Mapping[str, int], *, flag: bool
    ) -> None:
        self._facts: Facts = claims.last
        self._module, self._given, self._flag = module, given, flag
        self._primes = (prime for prime in _PRIMES if prime not in given.values())
        self._sizes: dict[Atom, Dim] = {}
        self._runs: dict[Variadic, tuple[int, ...]] = {}
        self._claims = claims
        self.has_flags = False

    def arguments(self) -> dict[str, Any]:
        """An argument for each parameter that needs one. Raises CannotMake."""
        defaults = _defaults(self._claims.frame.function)
        return {
            said.node.arg: self.make(said.value)
            for said in self._claims.parameters.values()
            if isinstance(said.node, ast.arg)
            and not (said.node.arg in defaults and isinstance(said.value, Unknown))
        }

    def size(self, dim: Dim) -> int:
        """The size of a dim."""
        resolved = self._facts.resolve(dim)
        for atom in sorted(resolved.atoms, key=lambda each: (each.name, each.serial)):
            if atom not in self._sizes:
                given = self._given.get(atom.name)
                self._sizes[atom] = Dim.of(next(self._primes) if given is None else given)
        value = resolved.substitute(self._sizes).value
        if value is None or value < 0:
            raise CannotMake(f"a size of {resolved}")
        return value

    def make(self, value: Value) -> Any:
        """A value that is as the annotation says. Raises CannotMake."""
        if isinstance(value, Tensor):
            array = _array(tuple(self._shape(value.shape)), value.dtype)
            return _of_framework(array, value.framework) if isinstance(value, Foreign) else array
        if isinstance(value, Dim):
            return self.size(value)
        if value is None or value is SOME_FLOAT:
            return value
        if isinstance(value, Fields):
            return self._named_tuple(value)
        if isinstance(value, tuple):
            return tuple(self.make(item) for item in value)
        if isinstance(value, Stream):
            return [self.make(value.item) for _ in range(3)]
        if isinstance(value, Either):
            return self.make(next(each for each in value.options if each is not None))
        if isinstance(value, Instance):
            return self._object(value)
        if value == Unknown("a bool"):
            self.has_flags = True
            return self._flag
        raise CannotMake(f"a value like {value}")

    def _shape(self, shape: Shape) -> Iterator[int]:
        for part in shape.axes:
            if isinstance(part, Axis):
                yield self.size(part.dim)
            else:
                if part.name is None and len(shape.axes) == 1:
                    raise CannotMake("an array of unknown rank")
                if part not in self._runs:
                    self._runs[part] = tuple(itertools.islice(self._primes, 2))
                yield from self._runs[part]

    def _named_tuple(self, fields: Fields) -> Any:
        """An object of the module's class that has these fields."""
        for cls in vars(self._module).values():
            if getattr(cls, "_fields", None) == fields.names:
                return cls(*map(self.make, fields))
        raise CannotMake("a named tuple of another module")

    def _object(self, instance: Instance) -> Any:
        """An object whose integers are those that the function has learned of."""
        cls = getattr(self._module, instance.cls.name, None)
        if cls is None:
            raise CannotMake("a class that is not at the top level")
        if getattr(cls, "_is_protocol", False) or inspect.isabstract(cls):
            raise CannotMake("an object of a class that is abstract")
        atoms = {
            atom.name: atom for value in instance.attributes.values() for atom in _atoms(value)
        }
        made = {}
        for name, parameter in inspect.signature(cls).parameters.items():
            if name in atoms:
                made[name] = self.size(Dim.atom(atoms[name]))
            elif parameter.default is parameter.empty and parameter.kind.name[:3] != "VAR":
                if parameter.annotation not in (int, "int"):
                    raise CannotMake(f"an object made with `{name}`")
                made[name] = self.size(Dim.fresh(name))
        return cls(**made)


def _defaults(function: AnyFunction | None) -> set[str]:
    """The parameters that may be left out."""
    if function is None:
        return set()
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    last = positional[len(positional) - len(args.defaults) :]
    pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return {arg.arg for arg in [*last, *(arg for arg, default in pairs if default)]}


def _atoms(value: Value) -> Iterator[Atom]:
    """The sizes in a value, and in the objects that it holds."""
    for option in options(value):
        if isinstance(option, Dim):
            yield from option.atoms
        elif isinstance(option, Tensor):
            for axis in option.shape.prefix:
                yield from axis.dim.atoms
        else:
            for part in _held(option):
                yield from _atoms(part)


def _held(value: Value) -> Iterable[Value]:
    if isinstance(value, Layer):
        return value.config.values()
    if isinstance(value, Instance):
        return value.attributes.values()
    return contained(value.modules if isinstance(value, Chain) else value)


def _of_framework(array: torch.Tensor, framework: Framework) -> Any:
    return tensor_of(array.numpy()) if framework is Framework.TENSORFLOW else array.numpy()


def _array(shape: tuple[int, ...], dtype: DType) -> torch.Tensor:
    names = ("float32",) if dtype.names is None else dtype.names
    name = next((each for each in _DTYPES if each in names), None)
    if name is None:
        raise CannotMake(f"an array of {dtype}")
    kind = getattr(torch, name)
    if kind.is_floating_point or kind.is_complex:
        return (
            torch.rand(shape, dtype=kind)
            if kind.is_floating_point
            else torch.randn(shape, dtype=kind)
        )
    return torch.from_numpy(np.random.default_rng(0).integers(0, 2, shape)).to(kind)
