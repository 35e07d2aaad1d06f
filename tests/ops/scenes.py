# SPDX-License-Identifier: Apache-2.0
"""Calls to compare with a framework: a rule's examples, bent in ways that agree and disagree."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from typedtensors.dims import Atom, Dim, parse_dim
from typedtensors.ops import Array, Example, Module, Rule, Unknown
from typedtensors.shapes import Axis, DType, Shape, Tensor, Variadic

DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool", "complex64")
_SPARE = (Dim.name("y"), Dim.name("z"))
_OPAQUE = (Dim.opaque("self.a"), Dim.opaque("self.b"))


@dataclass(frozen=True)
class Run:
    """What a variadic stands for in one scene."""

    variadic: Variadic
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class DrawnAxis:
    """One axis: what the rule sees of it, and the size the framework gets."""

    axis: Axis
    size: int


@dataclass(frozen=True, repr=False)
class DrawnArray:
    """One array argument, seen from both sides."""

    parts: tuple[DrawnAxis | Run, ...]
    dtype: str
    hidden: bool = False
    vague: bool = False
    fill: int = 1

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape that the framework gets."""
        return tuple(
            size
            for part in self.parts
            for size in (part.sizes if isinstance(part, Run) else (part.size,))
        )

    def tensor(self, *, literal: bool) -> Tensor | Unknown:
        """What the rule gets."""
        if self.hidden:
            return Unknown("hidden")
        dtype = DType.exactly(self.dtype)
        if self.vague:
            (number,) = dtype.numbers or ()
            dtype = DType.named("Integer" if number.value == "int" else number.value.capitalize())
        if literal:
            return Tensor(Shape.of(*self.sizes), dtype)
        parts = (part.variadic if isinstance(part, Run) else part.axis for part in self.parts)
        return Tensor(Shape(tuple(parts)), dtype)

    def __repr__(self) -> str:
        shape = self.tensor(literal=False)
        text = shape.shape.text if isinstance(shape, Tensor) else "hidden"
        return f'"{text}" {self.sizes} {self.dtype}'


@dataclass(frozen=True, repr=False)
class Scene:
    """One call of one spelling of an op.

    `literal`: the rule sees sizes, not names. `plain`: nothing is hidden, flexible, variadic or
    opaque, and dtypes are the example's: the rule has to decide.
    """

    op: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    layer: Example | None
    sizes: Mapping[str, int]
    literal: bool = False
    bends: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether everything that decides the call is in sight."""
        return not {*self.bends} & {"hide", "flexible", "variadic", "opaque", "dtype", "vague"}

    @property
    def runs(self) -> dict[Variadic, tuple[int, ...]]:
        """What each variadic stands for."""
        arrays = [each for each in walk((self.args, self.kwargs)) if isinstance(each, DrawnArray)]
        parts = [part for array in arrays for part in array.parts]
        return {part.variadic: part.sizes for part in parts if isinstance(part, Run)}

    def seen(self, value: Any) -> Any:
        """An argument as the rule gets it."""
        if isinstance(value, DrawnArray):
            return value.tensor(literal=self.literal)
        if type(value) is int:
            return Dim.of(value)
        if isinstance(value, Dim):
            return Dim.of(self.size(value)) if self.literal else value
        return rebuilt(value, self.seen)

    def size(self, dim: Dim) -> int:
        """A dim's size in this scene."""
        return dim.evaluate(self.sizes)

    def __repr__(self) -> str:
        args = [str(arg) for arg in self.args]
        kwargs = [f"{name}={value}" for name, value in self.kwargs.items()]
        view = "literal" if self.literal else dict(self.sizes)
        layer = "" if self.layer is None else f" of layer {self.layer.args} {self.layer.kwargs}"
        return f"{self.op}({', '.join(args + kwargs)}){layer} at {view}, bent by {self.bends}"


def walk(value: Any) -> Iterator[Any]:
    """Every leaf of nested arguments."""
    if isinstance(value, (tuple, list)):
        for each in value:
            yield from walk(each)
    elif isinstance(value, Mapping):
        yield from walk(tuple(value.values()))
    elif isinstance(value, Module):
        yield from walk(value.args)
    elif isinstance(value, slice):
        yield from walk((value.start, value.stop, value.step))
    else:
        yield value


def rebuilt(value: Any, leaf: Any) -> Any:
    """Nested arguments with each leaf replaced."""
    if isinstance(value, (tuple, list)):
        return type(value)([leaf(each) for each in value])
    if isinstance(value, dict):
        return {key: leaf(each) for key, each in value.items()}
    if isinstance(value, slice):
        return slice(*map(leaf, (value.start, value.stop, value.step)))
    return value


def as_written(rule: Rule, op: str, example: Example) -> Scene:
    """The example's own call, each name with a size of its own."""
    return _Stage(rule, op, example, random.Random(0), literal=False).scene()  # noqa: S311


def drawn(rule: Rule, rng: random.Random) -> Scene:
    """One of the rule's examples in one of its spellings, some as written, most bent."""
    op, example = rng.choice(rule.names), rng.choice(rule.examples)
    stage = _Stage(rule, op, example, rng, literal=rng.random() < 0.4)
    for bend in rng.choices(tuple(_BENDS), k=rng.randrange(4)):
        stage.bend(bend)
    return stage.scene()


@dataclass
class _Stage:
    """A scene in the making."""

    rule: Rule
    op: str
    example: Example
    rng: random.Random
    literal: bool
    sizes: dict[str, int] = field(default_factory=dict)
    bends: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        whole = (self.example.args, self.example.kwargs)
        layer = self.example.layer
        config = () if layer is None else (layer.args, layer.kwargs)
        dims = [*_dims_of((whole, config)), *_SPARE, *_OPAQUE]
        self._draw_sizes(dims)
        self.args, self.kwargs = self.set_up(self.example.args), self.set_up(self.example.kwargs)
        self.layer = layer and Example(self.set_up(layer.args), self.set_up(layer.kwargs))

    def _draw_sizes(self, dims: list[Dim]) -> None:
        """Distinct sizes for declared names, which are rigid; any for what the code computes.

        Not 1 for the latter: broadcasting takes an equation with a computed size for the truth.
        """
        taken = {abs(dim.value) for dim in dims if dim.value is not None}
        for atom in sorted({atom for dim in dims for atom in dim.atoms}, key=lambda a: a.name):
            if self.literal or not atom.declared:
                self.sizes[atom.name] = self.rng.choice((1, 2, 3, 4, 5)[not atom.declared :])
                continue
            free = [size for size in range(2, 16) if size not in taken]
            self.sizes[atom.name] = self.rng.choice(free)
            taken.add(self.sizes[atom.name])

    def set_up(self, value: Any) -> Any:
        """Arguments with their arrays drawn."""
        if isinstance(value, Array):
            parts = tuple(self._part(word) for word in value.spec.split())
            return DrawnArray(parts, value.dtype.lower(), fill=value.fill)
        return rebuilt(value, self.set_up)

    def _part(self, word: str) -> DrawnAxis | Run:
        if word == "..." or word.startswith("*"):
            name = None if word == "..." else word[1:]
            variadic = Variadic(name, serial=0 if name else -1)
            self.bends.append("variadic")
            return Run(variadic, self._run(name))
        return self._axis(parse_dim(word))

    def _run(self, name: str | None) -> tuple[int, ...]:
        """The same sizes wherever a scene names the variadic."""
        rng = random.Random(f"{name}{sorted(self.sizes.items())}")  # noqa: S311
        return tuple(rng.choice((2, 3, 5)) for _ in range(rng.randrange(3)))

    def _axis(self, dim: Dim) -> DrawnAxis:
        return DrawnAxis(Axis(dim), dim.evaluate(self.sizes))

    def bend(self, how: str) -> None:
        """Change one leaf of the arguments."""
        leaves = list(walk((self.args, self.kwargs)))
        fitting = [at for at, leaf in enumerate(leaves) if _BENDS[how][0](leaf)]
        if not fitting:
            return
        at = self.rng.choice(fitting)
        new = _BENDS[how][1](self, leaves[at])
        queue = iter([*leaves[:at], new, *leaves[at + 1 :]])

        def take(value: Any) -> Any:
            nested = isinstance(value, (tuple, list, dict, slice))
            return rebuilt(value, take) if nested else next(queue)

        self.args, self.kwargs = take(self.args), take(self.kwargs)
        self.bends.append(how)

    def scene(self) -> Scene:
        """The finished scene."""
        return Scene(
            self.op,
            self.args,
            self.kwargs,
            self.layer,
            self.sizes,
            self.literal,
            tuple(self.bends),
        )

    def any_dim(self) -> Dim:
        """A name of the scene, or a literal that no name's size equals by accident."""
        names = [Dim.name(name) for name in self.sizes if "." not in name]
        literal = self.rng.randrange(2, 7) + (0 if self.literal else 15)
        return self.rng.choice([*names, Dim.of(1), Dim.of(literal)])


def _resize(stage: _Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: (stage._axis(stage.any_dim()),))


def _squash(stage: _Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: (stage._axis(Dim.of(1)),))


def _obscure(stage: _Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: (stage._axis(stage.rng.choice(_OPAQUE)),))


def _loosen(stage: _Stage, array: DrawnArray) -> DrawnArray:
    def flexible(part: DrawnAxis) -> tuple[DrawnAxis]:
        size = stage.rng.choice((1, part.size))
        return (DrawnAxis(Axis(part.axis.dim, flexible=True), size),)

    return _at_axis(stage, array, flexible)


def _drop(stage: _Stage, array: DrawnArray) -> DrawnArray:
    return _at_axis(stage, array, lambda _: ())


def _insert(stage: _Stage, array: DrawnArray) -> DrawnArray:
    at = stage.rng.randint(0, len(array.parts))
    new = stage._axis(stage.any_dim())
    return replace(array, parts=(*array.parts[:at], new, *array.parts[at:]))


def _swap(stage: _Stage, array: DrawnArray) -> DrawnArray:
    parts = list(array.parts)
    stage.rng.shuffle(parts)
    return replace(array, parts=tuple(parts))


def _blur(stage: _Stage, array: DrawnArray) -> DrawnArray:
    """A variadic in place of some axes."""
    if any(isinstance(part, Run) for part in array.parts):
        return array
    first, last = sorted(stage.rng.choices(range(len(array.parts) + 1), k=2))
    if stage.rng.random() < 0.3:
        run = Run(Variadic("v"), stage._run("v"))
    else:
        run = Run(Variadic.fresh(), array.sizes[first:last])
    return replace(array, parts=(*array.parts[:first], run, *array.parts[last:]))


def _retype(stage: _Stage, array: DrawnArray) -> DrawnArray:
    return replace(array, dtype=stage.rng.choice(DTYPES))


def _vague(_stage: _Stage, array: DrawnArray) -> DrawnArray:
    return replace(array, vague=True)


def _hide(_stage: _Stage, array: DrawnArray) -> DrawnArray:
    return replace(array, hidden=True)


def _shift(stage: _Stage, value: int) -> int:
    return value + stage.rng.choice((-3, -2, -1, 1, 2))


def _flip(_stage: _Stage, value: bool) -> bool:  # noqa: FBT001 - a leaf like any other
    return not value


def _at_axis(stage: _Stage, array: DrawnArray, change: Any) -> DrawnArray:
    fixed = [at for at, part in enumerate(array.parts) if isinstance(part, DrawnAxis)]
    if not fixed:
        return array
    at = stage.rng.choice(fixed)
    return replace(
        array, parts=(*array.parts[:at], *change(array.parts[at]), *array.parts[at + 1 :])
    )


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, DrawnArray)


_BENDS: dict[str, tuple[Any, Any]] = {
    "resize": (_is_array, _resize),
    "squash": (_is_array, _squash),
    "drop": (_is_array, _drop),
    "insert": (_is_array, _insert),
    "swap": (_is_array, _swap),
    "shift": (lambda leaf: type(leaf) is int, _shift),
    "flip": (lambda leaf: type(leaf) is bool, _flip),
    "opaque": (_is_array, _obscure),
    "flexible": (_is_array, _loosen),
    "variadic": (_is_array, _blur),
    "dtype": (_is_array, _retype),
    "vague": (_is_array, _vague),
    "hide": (_is_array, _hide),
}


def _dims_of(value: Any) -> Iterator[Dim]:
    for leaf in walk(value):
        if isinstance(leaf, Array):
            words = (word for word in leaf.spec.split() if word[0] not in "*.")
            yield from map(parse_dim, words)
        elif isinstance(leaf, Dim):
            yield leaf
        elif type(leaf) is int:
            yield Dim.of(leaf)


def atoms_of(value: Any) -> frozenset[Atom]:
    """Every atom in a value of a rule."""
    tensors = [leaf for leaf in walk(value) if isinstance(leaf, Tensor)]
    axes = [part for tensor in tensors for part in tensor.shape.axes if isinstance(part, Axis)]
    return frozenset().union(*(axis.dim.atoms for axis in axes))
