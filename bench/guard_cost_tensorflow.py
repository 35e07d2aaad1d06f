# SPDX-License-Identifier: Apache-2.0
"""What a guard costs under TensorFlow: guarded against unguarded work, interleaved in one run.

Eager operations, a call of a traced function, steps of `fit`; a guard that is off; and the first
call, which traces.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

from typedtensors.guard import guard

ROUNDS, WARM_UP = 30, 5
Work = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """Some work, how often it is repeated within one measurement, and the ratio that is allowed."""

    name: str
    make: Callable[[], Work]
    repeat: int
    budget: float
    level: str = "suspicious"


def additions() -> Work:
    """One operation on small arrays: the worst case."""
    one, other = tf.ones((8, 8)), tf.ones((8, 8))
    return lambda: one + other


def mixed() -> Work:
    """50 operations, some of which broadcast, as a layer written by hand does."""
    x, kernel, bias = tf.ones((32, 64)), tf.Variable(tf.ones((64, 64))), tf.Variable(tf.ones(64))

    def step() -> tf.Tensor:
        h = x
        for _ in range(5):
            h = tf.nn.relu(tf.matmul(h, kernel) + bias)
            h -= tf.reduce_mean(h, -1, keepdims=True)
            h = h / (tf.reduce_max(tf.abs(h)) + 1.0) * 0.5
        return h

    return step


def traced() -> Work:
    """The same as a function of the graph."""
    return tf.function(mixed())


def fit() -> Work:
    """An epoch of eight steps."""
    layers = [keras.Input((20,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile("adam", "mse")
    x, y = np.ones((256, 20), "float32"), np.ones((256, 1), "float32")
    return lambda: model.fit(x, y, batch_size=32, verbose=0)


def retraced() -> Work:
    """A function that is traced at each call."""
    step = mixed()
    return lambda: tf.function(step).get_concrete_function()


ROWS = (
    Row("eager addition", additions, 2000, 1.25),
    Row("eager, 50 operations", mixed, 50, 1.2),
    Row("eager, guard off", mixed, 50, 1.02, level="allow"),
    Row("traced call", traced, 500, 1.02),
    Row("fit, an epoch", fit, 2, 1.02),
    Row("tracing", retraced, 1, 1.15),
)


def microseconds(work: Work, around: AbstractContextManager[object], repeat: int) -> float:
    """The processor time of one piece of work; entering the guard is not counted."""
    with around:
        start = time.process_time()
        for _ in range(repeat):
            work()
        return 1e6 * (time.process_time() - start) / repeat


def measure(row: Row) -> tuple[float, float]:
    """The fastest unguarded and guarded work: what slows one down is other work of the machine."""
    work = row.make()
    plain, watched = [], []
    for turn in range(ROUNDS + WARM_UP):
        spent = {}
        for guarded in (False, True) if turn % 2 else (True, False):
            around = guard(row.level) if guarded else nullcontext()
            spent[guarded] = microseconds(work, around, row.repeat)
        if turn >= WARM_UP:
            plain.append(spent[False])
            watched.append(spent[True])
    return min(plain), min(watched)


def main() -> None:
    """Print the times and their ratios."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    print(f"TensorFlow on a CPU, fastest of {ROUNDS}, in microseconds")
    print(f"{'':22} unguarded   guarded   ratio  budget")
    for row in ROWS:
        plain, watched = measure(row)
        print(f"{row.name:22} {plain:9.1f} {watched:9.1f} {watched / plain:7.3f} {row.budget:7.2f}")


if __name__ == "__main__":
    main()
