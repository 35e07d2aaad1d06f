# SPDX-License-Identifier: Apache-2.0
"""Drawn signatures, and for each of them drawn calls that fit or nearly fit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from jaxtyping import Bool, Float, Int, Num, Shaped

NAMES = ("a", "b", "c")
KINDS = {Float: "float32", Int: "int64", Bool: "bool", Num: "uint8", Shaped: "complex64"}
BINDING = (*NAMES, *NAMES, "#a", "#b", "_", "2", "rows=3", "_free", "#1")
COMPUTED = ("a+1", "2*b", "a*b", "a//2", "#c-1", "min(a,b)", "(a+b)//2", "{k}", "{k}+a", "#{k}*2")
VARIADIC = ("*s", "*#s", "...", "*t", "*_rest")
WORDS = st.sampled_from((*BINDING * 4, *COMPUTED))


@dataclass(frozen=True)
class World:
    """What each name stands for in a call that fits."""

    sizes: Mapping[str, int]
    runs: Mapping[str, tuple[int, ...]]
    k: int


@dataclass(frozen=True)
class Part:
    """An annotation, and how to draw a value for it."""

    annotation: Any
    value: Callable[[st.DrawFn, World], Any]


@dataclass(frozen=True)
class Signature:
    """A function's parameters, by kind, and what it returns."""

    plain: Sequence[Part]
    optional: Sequence[Part]
    packed: Part | None
    named: Part | None
    returned: Part | None


RUNS = st.lists(st.integers(1, 3), max_size=2).map(tuple)
WORLDS = st.builds(
    World,
    st.fixed_dictionaries({name: st.integers(1, 4) for name in NAMES}),
    st.fixed_dictionaries(
        {run: st.lists(st.integers(1, 3), max_size=2).map(tuple) for run in "st"}
    ),
    st.integers(0, 4),
)


@st.composite
def specs(draw: st.DrawFn) -> str:
    """Draw a spec of up to four words."""
    words = draw(st.lists(WORDS, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(st.sampled_from(VARIADIC)))
    return " ".join(words)


def array(kind: Any, spec: str) -> Part:
    """An array annotation; its values fit, but for one in eight."""

    def value(draw: st.DrawFn, world: World) -> Any:
        shape = [size for word in spec.split() for size in draw_sizes(draw, word, world)]
        dtype, slip = KINDS[kind], draw(st.integers(0, 39))
        if slip == 1 and shape:
            shape[draw(st.integers(0, len(shape) - 1))] += 1
        elif slip == 2:
            shape.insert(draw(st.integers(0, len(shape))), draw(st.integers(1, 2)))
        elif slip == 3:
            shape = shape[1:]
        elif slip == 4:
            dtype = draw(st.sampled_from([*KINDS.values()]))
        elif slip == 5:
            return draw(st.sampled_from([None, 1, "x", [1.0]]))
        return np.zeros(shape, dtype)

    return Part(kind[np.ndarray, spec], value)


def draw_sizes(draw: st.DrawFn, word: str, world: World) -> list[int]:
    """Draw the sizes of the axes of one word."""
    body, flexible = word.lstrip("#*"), "#" in word
    if word in ("...", "*_rest"):
        return draw(st.lists(st.integers(1, 3), max_size=2))
    if word.startswith("*"):
        run = world.runs[body]
        shown = run[draw(st.integers(0, len(run))) :] if flexible else run
        return [1 if flexible and draw(st.booleans()) else size for size in shown]
    if flexible and draw(st.booleans()):
        return [1]
    if body.startswith("_"):
        return [draw(st.integers(1, 4))]
    return [max(0, evaluate(body.rpartition("=")[2].replace("{k}", str(world.k)), world.sizes))]


def evaluate(text: str, sizes: Mapping[str, int]) -> int:
    """Compute one of the words above."""
    code = compile(ast.parse(text, mode="eval"), "<word>", "eval")
    return int(eval(code, {"min": min}, dict(sizes)))  # noqa: S307  one of the words above


ARRAYS = st.builds(array, st.sampled_from([*KINDS]), specs())


def optional(part: Part) -> Part:
    """`X | None`."""
    return Part(
        part.annotation | None,
        lambda draw, world: None if draw(st.booleans()) else part.value(draw, world),
    )


def listed(part: Part) -> Part:
    """A list; of one element at most, because beartype looks at one that it draws."""
    return Part(
        list[part.annotation],  # type: ignore[name-defined]
        lambda draw, world: [part.value(draw, world)] * draw(st.integers(0, 1)),
    )


def mapped(part: Part) -> Part:
    """A dict; of one item at most, for the same reason."""
    return Part(
        dict[str, part.annotation],  # type: ignore[name-defined]
        lambda draw, world: {"key": part.value(draw, world)} if draw(st.booleans()) else {},
    )


def paired(first: Part, second: Part) -> Part:
    """A tuple of two."""
    return Part(
        tuple[first.annotation, second.annotation],  # type: ignore[name-defined]
        lambda draw, world: (first.value(draw, world), second.value(draw, world)),
    )


def either(first: Part, second: Part) -> Part:
    """A union of an array and of something that is none: what fits both would be ambiguous."""
    return Part(
        first.annotation | second.annotation,
        lambda draw, world: (first if draw(st.booleans()) else second).value(draw, world),
    )


PLAIN = st.sampled_from(
    [
        Part(int, lambda draw, _world: draw(st.sampled_from([1, 1, 2, True, None, "x"]))),
        Part(str | None, lambda draw, _world: draw(st.sampled_from(["x", "x", None, 3]))),
        Part(list[int], lambda draw, _world: draw(st.sampled_from([[], [1], [1], ["x"], 1]))),
    ]
)
PARTS = st.one_of(
    ARRAYS,
    ARRAYS,
    ARRAYS,
    st.builds(optional, ARRAYS),
    st.builds(listed, ARRAYS),
    st.builds(mapped, ARRAYS),
    st.builds(paired, ARRAYS, ARRAYS),
    st.builds(either, ARRAYS, PLAIN),
    PLAIN,
)
SIGNATURES = st.builds(
    Signature,
    plain=st.lists(PARTS, min_size=1, max_size=3),
    optional=st.lists(st.builds(optional, ARRAYS), max_size=1),
    packed=st.one_of(st.none(), st.none(), st.none(), ARRAYS),
    named=st.one_of(st.none(), st.none(), st.none(), ARRAYS),
    returned=st.one_of(st.none(), PARTS),
)


@dataclass(frozen=True)
class DrawnCall:
    """Arguments, and the value that the function returns."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any


def draw_call(draw: st.DrawFn, signature: Signature) -> DrawnCall:
    """Draw one call."""
    world = draw(WORLDS)
    args = [part.value(draw, world) for part in signature.plain]
    kwargs: dict[str, Any] = {"k": world.k}
    if draw(st.booleans()):
        kwargs |= {
            f"opt{index}": p.value(draw, world) for index, p in enumerate(signature.optional)
        }
    if signature.packed is not None:
        args += [signature.packed.value(draw, world) for _ in range(draw(st.integers(0, 2)))]
    if signature.named is not None and draw(st.booleans()):
        kwargs["extra"] = signature.named.value(draw, world)
    returned = signature.returned
    result = None if returned is None else returned.value(draw, world)
    return DrawnCall(tuple(args), kwargs, result)


def make_function(signature: Signature, results: list[Any]) -> Callable[..., Any]:
    """Make a function of that signature, which returns the last of `results`."""
    annotations: dict[str, Any] = {"k": int}
    names = [f"x{index}" for index in range(len(signature.plain))]
    annotations |= {n: p.annotation for n, p in zip(names, signature.plain, strict=True)}
    names += ["*rest" if signature.packed else "*", "k"]
    for index, part in enumerate(signature.optional):
        names.append(f"opt{index}=None")
        annotations[f"opt{index}"] = part.annotation
    if signature.packed is not None:
        annotations["rest"] = signature.packed.annotation
    if signature.named is not None:
        names.append("**named")
        annotations["named"] = signature.named.annotation
    if signature.returned is not None:
        annotations["return"] = signature.returned.annotation
    scope: dict[str, Any] = {"results": results}
    exec(f"def function({', '.join(names)}): return results[-1]", scope)  # noqa: S102  our own
    function: Callable[..., Any] = scope["function"]
    function.__annotations__ = annotations
    return function
