# SPDX-License-Identifier: Apache-2.0
"""Scenes drawn from a rule's examples: sizes for their names, then bends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.ops.bends import BENDS, OPAQUE
from tests.ops.scenes import DrawnArray, DrawnAxis, Run, Scene, rebuilt, walk
from typedtensors.dims import Dim, parse_dim
from typedtensors.ops import Array, Example, Module, Rule
from typedtensors.shapes import Axis, Variadic

_dim = cache(parse_dim)
_SPARE = (Dim.name("y"), Dim.name("z"))


def as_written(rule: Rule, op: str, example: Example) -> Scene:
    """The example's own call, each name with a size of its own."""
    return Stage(rule, op, example, random.Random(0), literal=False).scene()  # noqa: S311


def drawn(rule: Rule, rng: random.Random) -> Scene:
    """One of the rule's examples in one of its spellings, some as written, most bent."""
    op, example = rng.choice(rule.names), rng.choice(rule.examples)
    stage = Stage(rule, op, example, rng, literal=rng.random() < 0.4)
    for bend in rng.choices(tuple(BENDS), k=rng.randrange(4)):
        stage.bend(bend)
    return stage.scene()


@dataclass
class Stage:
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
        dims = [*_dims_of((whole, config)), *_SPARE, *OPAQUE]
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
            return DrawnArray(parts, value.dtype.lower(), fill=value.fill, layout=value.layout)
        return rebuilt(value, self.set_up)

    def _part(self, word: str) -> DrawnAxis | Run:
        if word == "..." or word.startswith("*"):
            name = None if word == "..." else word[1:]
            variadic = Variadic(name, serial=0 if name else -1)
            self.bends.append("variadic")
            return Run(variadic, self.run(name))
        return self.axis(_dim(word))

    def run(self, name: str | None) -> tuple[int, ...]:
        """The same sizes wherever a scene names the variadic."""
        rng = random.Random(f"{name}{sorted(self.sizes.items())}")  # noqa: S311
        return tuple(rng.choice((2, 3, 5)) for _ in range(rng.randrange(3)))

    def axis(self, dim: Dim) -> DrawnAxis:
        """An axis of that size."""
        return DrawnAxis(Axis(dim), dim.evaluate(self.sizes))

    def bend(self, how: str) -> None:
        """Change one leaf of the arguments."""
        leaves = list(walk((self.args, self.kwargs)))
        fitting = [at for at, leaf in enumerate(leaves) if BENDS[how][0](leaf)]
        if not fitting:
            return
        at = self.rng.choice(fitting)
        new = BENDS[how][1](self, leaves[at])
        queue = iter([*leaves[:at], new, *leaves[at + 1 :]])

        def take(value: Any) -> Any:
            nested = isinstance(value, (tuple, list, dict, slice, Module))
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


def _dims_of(value: Any) -> Iterator[Dim]:
    for leaf in walk(value):
        if isinstance(leaf, Array):
            words = (word for word in leaf.spec.split() if word[0] not in "*.")
            yield from map(_dim, words)
        elif isinstance(leaf, Dim):
            yield leaf
        elif type(leaf) is int:
            yield Dim.of(leaf)
