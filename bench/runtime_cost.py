# SPDX-License-Identifier: Apache-2.0
"""What `@typechecked` costs, beside `@jaxtyped(typechecker=beartype)` in the same run.

The functions compute nothing, so that what is measured is the check. Each pair is timed in turns,
and the fastest turn of each counts: what slows a turn down is other work of the machine.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor

from typedtensors import matches, typechecked

ROUNDS, CALLS = 40, 100
DECORATION_BUDGET_MS, COMPILED_BUDGET = 2.0, 1.02
WIDTH, BATCH, LAYERS = 256, 128, 4


def one(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x


def three(
    q: Float[Tensor, "b t d"], k: Float[Tensor, "b s d"], v: Float[Tensor, "b s d"]
) -> Float[Tensor, "b t d"]:
    return q


def eight(
    a: Float[Tensor, "b n"],
    b: Float[Tensor, "b n"],
    c: Float[Tensor, "b n"],
    d: Float[Tensor, "b n"],
    e: Float[Tensor, "b n"],
    f: Float[Tensor, "b n"],
    g: Float[Tensor, "b n"],
    h: Float[Tensor, "b n"],
) -> Float[Tensor, "b n"]:
    return a


def variadic(x: Float[Tensor, "*b d"], w: Float[Tensor, "#d"]) -> Float[Tensor, "*b d"]:
    return x


def arithmetic(
    x: Float[Tensor, "b n"], y: Float[Tensor, "b 2*n+1"], z: Float[Tensor, "b n//2"]
) -> Float[Tensor, "b n//2"]:
    return z


def optional(
    x: Float[Tensor, "b n"], mask: Float[Tensor, "b n"] | None = None, k: int = 3
) -> None: ...


def containers(
    xs: list[Float[Tensor, "n d"]], by_name: dict[str, Float[Tensor, "d"]]
) -> tuple[Float[Tensor, "n d"], int]:
    return xs[0], 1


@dataclass
class Batch:
    x: Float[Tensor, "b d"]
    y: Float[Tensor, "b"]
    name: str


def make_batch(decorate: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a copy of the dataclass: both tools change the class in place."""
    names = {"__annotations__": dict(Batch.__annotations__)}
    made: Callable[..., Any] = decorate(dataclass(type("Batch", (), names)))
    return made


def theirs(target: Any) -> Any:
    """Decorate as jaxtyping's documentation says."""
    return jaxtyped(target, typechecker=beartype)


f = torch.zeros
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], float]] = {
    "one tensor": (one, (f(2, 4),), 0.10),
    "three tensors": (three, (f(2, 3, 4), f(2, 5, 4), f(2, 5, 4)), 0.10),
    "eight tensors": (eight, (f(2, 4),) * 8, 0.10),
    "optional, int": (optional, (f(2, 4),), 0.10),
    "variadic, `#d`": (variadic, (f(2, 3, 4), f(4)), 0.20),
    "arithmetic": (arithmetic, (f(2, 4), f(2, 9), f(2, 2)), 0.20),
    "containers": (containers, ([f(3, 4)] * 4, {"a": f(4), "b": f(4)}), 0.20),
    "dataclass": (Batch, (f(2, 4), f(2), "train"), 0.20),
}


def microseconds(call: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The processor time of one call."""
    start = time.process_time()
    for _ in range(CALLS):
        call(*args)
    return 1e6 * (time.process_time() - start) / CALLS


def compare(pair: tuple[Callable[..., Any], ...], args: tuple[Any, ...]) -> list[float]:
    """The fastest turn of each."""
    times: list[list[float]] = [[] for _ in pair]
    for turn in range(ROUNDS):
        for index in range(len(pair)) if turn % 2 else reversed(range(len(pair))):
            times[index].append(microseconds(pair[index], args))
    return [min(each) for each in times]


def peak_bytes(call: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The most memory that Python holds for one call at a time, and gives back after it."""
    call(*args)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    call(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - before


def fresh_functions(count: int) -> Iterator[Callable[..., Any]]:
    """Functions that differ in their dims, so that nothing about them is known before."""
    for index in range(count):
        spec = f"b{index} t d"
        text = (
            f'def f(q: Float[Tensor, "{spec}"], k: Float[Tensor, "{spec}"], n: int = 3,\n'
            f'      v: Float[Tensor, "{spec}"] | None = None) -> Float[Tensor, "{spec}"]: ...'
        )
        scope: dict[str, Any] = {"Float": Float, "Tensor": Tensor}
        exec(text, scope)  # noqa: S102  our own text
        yield scope["f"]


def decoration_ms(decorate: Callable[..., Any], batches: int = 6, count: int = 20) -> float:
    """The processor time of decorating a function of four tensors; the fastest batch counts."""
    functions = list(fresh_functions(batches * count))
    times = []
    for first in range(0, len(functions), count):
        start = time.process_time()
        for function in functions[first : first + count]:
            decorate(function)
        times.append(1e3 * (time.process_time() - start) / count)
    return min(times)


def body_check() -> list[float]:
    """The time of asking what one array is: with `isinstance`, and with `matches`."""
    annotation: Any = Float[Tensor, "b d"]
    return compare(
        (lambda x: isinstance(x, annotation), lambda x: matches(x, annotation)), (f(2, 4),)
    )


def compiled_step(decorate: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a few layers, each a function that is decorated."""

    @decorate
    def layer(x: Float[Tensor, "b d"], w: Float[Tensor, "d d"]) -> Float[Tensor, "b d"]:
        return (x @ w).relu()

    def step(x: Tensor, *weights: Tensor) -> Tensor:
        for weight in weights:
            x = layer(x, weight)
        return x

    compiled: Callable[..., Any] = torch.compile(step, backend="aot_eager", fullgraph=True)
    return compiled


def compiled_ratio() -> float:
    """How much slower a compiled step is where its functions are checked."""
    pair = tuple(compiled_step(decorate) for decorate in (lambda function: function, typechecked))
    weights = (torch.randn(WIDTH, WIDTH),) * LAYERS
    before, after = compare(pair, (torch.randn(BATCH, WIDTH), *weights))
    return after / before


def main() -> int:
    """Print the table; return 1 if a budget is exceeded."""
    torch.set_num_threads(1)
    over = 0
    print("microseconds and peak bytes of a call:   jaxtyped + beartype        typechecked")
    for name, (target, args, budget) in CASES.items():
        both = (theirs, typechecked)
        pair = tuple(make_batch(each) if target is Batch else each(target) for each in both)
        (before, after), (much, little) = compare(pair, args), [peak_bytes(p, args) for p in pair]
        over += after / before > budget
        figures = f"{before:8.2f} us {much:6d} B   {after:6.2f} us {little:5d} B"
        print(f"  {name:<16}{figures}   {after / before:.3f}x (budget {budget:.2f}x)")
    before, after = body_check()
    over += after > before
    print(f"  in a body: {before:.2f} us isinstance, {after:.2f} us matches (budget 1.00x)")
    before, after = decoration_ms(theirs), decoration_ms(typechecked)
    over += after > DECORATION_BUDGET_MS
    budget = f"budget {DECORATION_BUDGET_MS} ms"
    print(f"  decorating a function: {before:.2f} ms, {after:.2f} ms ({budget})")
    ratio = compiled_ratio()
    over += ratio > COMPILED_BUDGET
    print(f"  a compiled step: {ratio:.3f}x of the undecorated one (budget {COMPILED_BUDGET}x)")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
