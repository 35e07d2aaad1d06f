# SPDX-License-Identifier: Apache-2.0
"""`def f[T]`, `class A[T]` and `type A = ...` of Python 3.12 mean what they say, also postponed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from typedtensors import TensorCheckError

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="it is no syntax before")

PROGRAM = """
import numpy as np
from typing import Any, Callable
from typedtensors import Float, typechecked

type Row = Float[np.ndarray, "n"]
type Pair[T] = tuple[T, T]

@typechecked
def square[T: Float[np.ndarray, "n n"]](x: T, others: list[T]) -> T:
    return x

@typechecked
def apply[T: (int, str), **P](x: T, call: Callable[P, Any], *args: P.args, row: Row) -> None: ...

@typechecked
def pair(x: Pair[Row], y: Row) -> None: ...

@typechecked
class Box[T: Float[np.ndarray, "n"]]:
    def __init__(self, x: T, y: Row) -> None:
        self.x = x

    def put[U: int](self, count: U, x: T) -> "Box[T]":
        return self

def local():
    Square = Float[np.ndarray, "k k"]

    class Inner[T]:
        @typechecked
        def put(self, x: T, y: "Square") -> T:
            return x

    return Inner()
"""


def f(*shape: int) -> Any:
    return np.zeros(shape)


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_type_parameters_are_checked(future: str) -> None:
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(future + PROGRAM, "<program>", "exec", dont_inherit=True), names)  # noqa: S102
    square, apply, pair, box = (names[each] for each in ("square", "apply", "pair", "Box"))
    square(f(2, 2), [f(2, 2)])
    apply("x", len, 1, row=f(3))
    pair((f(3), f(3)), f(3))
    box(f(3), f(3)).put(1, f(2))
    names["local"]().put(1, f(2, 2))
    for call, args, options in (
        (square, (f(2, 3), []), {}),
        (square, (f(2, 2), [f(3, 3)]), {}),
        (apply, (1.5, len), {"row": f(3)}),
        (apply, (1, len), {"row": f(3, 3)}),
        (pair, ((f(3), f(4)), f(3)), {}),
        (box, (f(3, 3), f(3)), {}),
        (box(f(3), f(3)).put, (1, f(2, 2)), {}),
        (box(f(3), f(3)).put, ("x", f(2)), {}),
        (names["local"]().put, (1, f(2, 3)), {}),
    ):
        with pytest.raises(TensorCheckError):
            call(*args, **options)
