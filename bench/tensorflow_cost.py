# SPDX-License-Identifier: Apache-2.0
"""What `@typechecked` costs with TensorFlow, beside jaxtyping and beartype in the same run.

Eager functions compute nothing, so that what is measured is the check. A traced step is compared
operation by operation with the undecorated one: what runs has to be the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as tf
from beartype import beartype
from jaxtyping import Float, jaxtyped
from runtime_cost import compare

from typedtensors import typechecked

EAGER_BUDGET = 0.30
LAYERS, WIDTH = 4, 16


def one(x: Float[tf.Tensor, "b d"]) -> Float[tf.Tensor, "b d"]:
    return x


def three(
    q: Float[tf.Tensor, "b t d"], k: Float[tf.Tensor, "b s d"], v: Float[tf.Tensor, "b s d"]
) -> Float[tf.Tensor, "b t d"]:
    return q


def variadic(x: Float[tf.Tensor, "*b d"], w: Float[tf.Tensor, "#d"]) -> Float[tf.Tensor, "*b d"]:
    return x


def arithmetic(
    x: Float[tf.Tensor, "b n"], y: Float[tf.Tensor, "b 2*n+1"]
) -> Float[tf.Tensor, "b n"]:
    return x


def theirs(target: Any) -> Any:
    """Decorate as jaxtyping's documentation says."""
    return jaxtyped(target, typechecker=beartype)


f = tf.zeros
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "one tensor": (one, (f((2, 4)),)),
    "three tensors": (three, (f((2, 3, 4)), f((2, 5, 4)), f((2, 5, 4)))),
    "variadic, `#d`": (variadic, (f((2, 3, 4)), f(4))),
    "arithmetic": (arithmetic, (f((2, 4)), f((2, 9)))),
}


def traced(decorate: Callable[..., Any], *shapes: Any) -> Any:
    """Trace a few layers, each a function that is decorated."""

    @decorate
    def layer(x: Float[tf.Tensor, "b d"], w: Float[tf.Tensor, "d d"]) -> Float[tf.Tensor, "b d"]:
        return tf.nn.relu(x @ w)

    def step(x: Any, *weights: Any) -> Any:
        for weight in weights:
            x = layer(x, weight)
        return x

    return tf.function(step).get_concrete_function(*map(tf.TensorSpec, shapes))


def operations(graph: Any) -> list[str]:
    """The operations of a graph."""
    return [operation.type for operation in graph.graph.get_operations()]


def compare_steps(batch: int | None) -> tuple[int, float]:
    """How many operations a checked step has more, and how much longer it takes."""
    shapes = [(batch, WIDTH), *[(WIDTH, WIDTH)] * LAYERS]
    plain, checked = (traced(decorate, *shapes) for decorate in (lambda each: each, typechecked))
    arrays = (f((8, WIDTH)), *[f((WIDTH, WIDTH))] * LAYERS)
    before, after = compare((plain, checked), arrays)
    return len(operations(checked)) - len(operations(plain)), after / before


def main() -> int:
    """Print the table; return 1 if a budget is exceeded."""
    over = 0
    print("microseconds of an eager call:   jaxtyped + beartype   typechecked")
    for name, (target, args) in CASES.items():
        before, after = compare((theirs(target), typechecked(target)), args)
        over += after / before > EAGER_BUDGET
        ratio = f"{after / before:.3f}x (budget {EAGER_BUDGET:.2f}x)"
        print(f"  {name:<16}{before:29.2f} us {after:10.2f} us   {ratio}")
    for batch in (8, None):
        more, ratio = compare_steps(batch)
        over += more > 0
        what = "of unknown batch" if batch is None else "of known sizes"
        print(f"  a traced step {what}: {more} operations more (budget 0), {ratio:.2f}x the time")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
