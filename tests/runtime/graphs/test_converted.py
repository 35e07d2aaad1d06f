# SPDX-License-Identifier: Apache-2.0
"""What AutoGraph converts may call what is checked, and errors name the lines of the program."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import dataclass
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import pytest

from tests.tensorflow_arrays import load_tensorflow
from typedtensors import Float, TensorCheckError, bindings, typechecked

tf = load_tensorflow()


pytestmark = pytest.mark.usefixtures("silent")


@typechecked
class Steps:
    """Methods without an array of TensorFlow's in their annotations."""

    def __init__(self, count: int, names: list[str] | None = None) -> None:
        self.count = count

    @staticmethod
    def scaled(x: Any, n: int = 3, *rest: int, flag: bool = False, **named: str) -> Any:
        if x > 0:
            return x * n
        return -x

    def stepped(self, x: Any, names: list[str], least: int | None = None) -> Any:
        for _ in range(self.count):
            if x > 0:
                x = x + 1
        return x

    def added(self, x: Any, by: Float[np.ndarray, "n"]) -> Any:
        if x > 0:
            x = x + float(by.sum())
        return x

    @property
    def half(self) -> float:
        return self.count / 2


def test_what_is_checked_otherwise_is_converted_too() -> None:
    @tf.function
    def run(x: Any) -> Any:
        steps = Steps(2, ["a"])
        x = steps.stepped(Steps.scaled(x, flag=True, k="s"), ["a", "b"])
        return steps.added(x, np.ones(3)) + steps.half

    assert float(run(tf.constant(2.0))) == 12
    assert float(run(tf.constant(-2.0))) == 8


def test_an_error_in_what_is_checked_otherwise_is_ours() -> None:
    @tf.function
    def run(x: Any) -> Any:
        return Steps.scaled(x, "s")

    with pytest.raises(TensorCheckError, match="argument `n` is str") as caught:
        run(tf.constant(2.0))
    assert f"test_converted.py:{_line_of(run, 'Steps.scaled')}" in str(caught.value)


@typechecked
def weighted(x: Float[tf.Tensor, "n d"], w: Float[tf.Tensor, "n"]) -> Float[tf.Tensor, "n d"]:
    return x * w[:, None]


def test_the_line_of_the_program_is_named_and_not_that_of_what_was_made_of_it() -> None:
    @tf.function
    def run(x: Any, w: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            x = x + 1
            x = weighted(x, w)
        return x

    with pytest.raises(TensorCheckError) as caught:
        run(tf.ones((2, 3)), tf.ones(3))
    assert f"test_converted.py:{_line_of(run, 'weighted')}" in str(caught.value)
    assert "`tf.transpose(x)`" in str(caught.value)


def _line_of(function: Any, text: str) -> int:
    """Return the line of a file at which a text is, within a function."""
    lines, start = inspect.getsourcelines(function.python_function)
    return start + next(index for index, line in enumerate(lines) if text in line)


@typechecked
@dataclass
class Batch:
    x: Float[tf.Tensor, "n d"]
    y: Float[tf.Tensor, "n"]


def test_a_dataclass_is_made_in_a_graph() -> None:
    @tf.function
    def run(x: Any, y: Any) -> Any:
        batch = Batch(x, y)
        return batch.x + batch.y[:, None]

    assert run(tf.ones((2, 3)), tf.ones(2)).shape == (2, 3)
    with pytest.raises(TensorCheckError, match="dim `n` disagrees"):
        run(tf.ones((2, 3)), tf.ones(3))


def test_a_checked_function_pickles_by_value() -> None:
    loaded = pickle.loads(cloudpickle.dumps(weighted))  # noqa: S301
    assert tf.function(loaded)(tf.ones((2, 3)), tf.ones(2)).shape == (2, 3)
    with pytest.raises(TensorCheckError):
        loaded(tf.ones((2, 3)), tf.ones(3))


def test_a_function_is_checked_until_a_call_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "once")

    @typechecked
    def use(x: Float[tf.Tensor, "n"], y: Float[tf.Tensor, "n"]) -> Any:
        return bindings()

    with pytest.raises(TensorCheckError):
        use(tf.ones(2), tf.ones(3))
    assert use(tf.ones(2), tf.ones(2)) == {"n": 2}
    assert use(tf.ones(2), tf.ones(3)) == {"n": 2}


def test_a_function_that_is_off_is_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "off")
    graph = tf.function(lambda x: x)
    assert typechecked(graph) is graph


def test_names_that_come_later_are_read_at_the_first_call() -> None:
    @typechecked
    def use(x: Later) -> Any:  # type: ignore[name-defined]
        if tf.reduce_sum(x) > 0:
            x = x + 1
        return x

    globals()["Later"] = Float[tf.Tensor, "n n"]
    assert tf.function(use)(tf.ones((2, 2))).shape == (2, 2)
    with pytest.raises(TensorCheckError):
        tf.function(use)(tf.ones((2, 3)))
