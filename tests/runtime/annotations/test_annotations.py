# SPDX-License-Identifier: Apache-2.0
"""Quoted annotations, postponed ones, and names that are not there (yet)."""

from __future__ import annotations

import types
import typing
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

import jaxtyping
import numpy as np
import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor

from typedtensors import SpecWarning, TensorCheckError, UncheckedWarning, typechecked

if TYPE_CHECKING:
    from nowhere import Absent, Config  # type: ignore[import-not-found]
    from typing_extensions import Self

f = torch.zeros
Matrix = Float[Tensor, "n n"]
Row = "Float[Tensor, 'n']"
P = ParamSpec("P")
T = TypeVar("T")


def rejects(function: Callable[..., Any], *args: Any) -> None:
    with pytest.raises(TensorCheckError):
        function(*args)


def test_an_alias_is_its_spec() -> None:
    @typechecked
    def trace(x: Matrix) -> Any:
        return x

    rejects(trace, f(2, 3))


def test_quotes_within_quotes() -> None:
    @typechecked
    def trace(x: "list['Matrix']") -> Any:
        return x

    rejects(trace, [f(2, 3)])


def test_an_alias_of_the_enclosing_function() -> None:
    """Jaxtyping skips such a parameter without a word."""
    Square = Float[Tensor, "k k"]

    @typechecked
    def trace(x: Square) -> Any:
        return x

    rejects(trace, f(2, 3))


def test_an_alias_of_the_function_around_a_class() -> None:
    Square = Float[Tensor, "k k"]

    class Model:
        Wide = Float[Tensor, "k 2*k"]

        @typechecked
        def trace(self, x: Square, y: Wide) -> Any:
            return x

    Model().trace(f(2, 2), f(2, 4))
    rejects(Model().trace, f(2, 3), f(2, 4))
    rejects(Model().trace, f(2, 2), f(2, 2))


def test_an_alias_of_a_function_further_out() -> None:
    Square = Float[Tensor, "k k"]

    def make() -> Any:
        def define() -> Any:
            @typechecked
            def trace(x: Square) -> Any:
                return x

            return trace

        return define()

    rejects(make(), f(2, 3))


def define_elsewhere() -> Any:
    namespace = types.ModuleType("elsewhere")
    code = "def trace(x: 'hidden'): return x"
    exec(code, namespace.__dict__)  # noqa: S102
    return typechecked(namespace.trace)


def test_a_callers_names_are_not_in_scope() -> None:
    """Only what surrounds the definition is; this function merely calls what defines."""
    hidden = Float[Tensor, "k k"]
    assert hidden is not None
    assert define_elsewhere()(f(2, 3)).shape == (2, 3)


def test_a_class_may_name_itself() -> None:
    @typechecked
    class Node:
        def link(self, other: Node, x: Float[Tensor, "n n"]) -> Node:
            return cast("Node", x)

    with pytest.raises(TensorCheckError, match=r"`Node\.link`: return value is Tensor"):
        Node().link(Node(), f(2, 2))
    rejects(Node().link, Node(), f(2, 3))


def test_a_name_that_is_defined_later_is_found_at_the_first_call() -> None:
    @typechecked
    def trace(x: Later) -> Any:
        return x

    rejects(trace, f(2, 3))


Later = Float[Tensor, "n n"]


def test_a_name_for_type_checkers_only_stands_for_anything() -> None:
    @typechecked
    def train(config: Config, x: Float[Absent, "n n"], y: list[Absent]) -> None: ...

    train(1, f(2, 2), [1])
    rejects(train, 1, f(2, 3), [1])


def test_text_that_is_no_type_is_not_checked() -> None:
    @typechecked
    def train(x: "the inputs", y: Float[Tensor, "n n"]) -> None: ...  # type: ignore[valid-type]

    train(1, f(2, 2))
    rejects(train, 1, f(2, 3))


def test_text_that_raises_an_error_is_said_not_to_be_checked() -> None:
    def apply(x: Float[Tensor, "n n"], g: any | None = None) -> Any:  # type: ignore[valid-type]
        return x

    with pytest.warns(UncheckedWarning, match=r"parameter `g` is not checked: .*unsupported"):
        checked = typechecked(apply)
    rejects(checked, f(2, 3))


def test_a_malformed_spec_fails_where_it_is_written() -> None:
    with pytest.raises(
        ValueError, match=r"trace\(\): annotation of parameter `x`: .*more than once"
    ):

        @typechecked
        def trace(x: Float[Tensor, "*a *b"]) -> Any:
            return x


def test_hints_about_the_signature_are_not_checked() -> None:
    class Model:
        @typechecked
        def chain(self, x: Float[Tensor, "n"]) -> Self:
            return self

    @typechecked
    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        @typechecked
        def inner(*args: P.args, **kwargs: P.kwargs) -> T:
            return function(*args, **kwargs)

        return inner

    assert wrap(Model().chain)(f(3)) is not None


def test_a_hint_that_nobody_can_check_is_warned_about() -> None:
    def trace(x: Any, y: Float[Tensor, "n n"]) -> Any:
        return x

    trace.__annotations__["x"] = 3
    with pytest.warns(UncheckedWarning, match=r"trace\(\): parameter `x` is not checked"):
        checked = typechecked(trace)
    checked(1, f(2, 2))
    rejects(checked, 1, f(2, 3))


def test_a_protocol_that_cannot_be_tested_says_how_it_could_be() -> None:
    class Model(Protocol):
        def __call__(self, x: Tensor, /) -> Tensor: ...

    def apply(model: Model, x: Float[Tensor, "n"]) -> Any:
        return model(x)

    with pytest.warns(UncheckedWarning, match=r"`Model` is a protocol; .*`@runtime_checkable`"):
        typechecked(apply)(torch.relu, f(2))


def test_a_type_variable_over_arrays() -> None:
    Array = TypeVar("Array", Tensor, np.ndarray)

    @typechecked
    def scale(x: Float[Array, "n n"]) -> Float[Array, "n n"]:
        return x

    scale(np.zeros((2, 2)))
    rejects(scale, f(2, 3))


def test_decorating_warns_about_nothing_ordinary() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        @typechecked
        def every(
            a: int | None,
            b: dict[str, Any],
            c: Callable[..., int],
            d: type[Tensor],
            e: Int[Tensor, "..."] | float,
            *f: object,
        ) -> tuple[int, ...]:
            return ()

    assert every(1, {}, len, Tensor, 2.0) == ()
    assert issubclass(jaxtyping.TypeCheckError, TypeError)


def test_a_spec_that_cannot_be_meant_is_warned_about() -> None:
    def trace(x: Float[Tensor, "b 2d"]) -> Any:
        return x

    said = r"trace\(\): parameter `x`: .*`2d` is no axis"
    with pytest.warns(SpecWarning, match=said) as seen:
        typechecked(trace)
    assert seen[0].lineno == trace.__code__.co_firstlineno
    assert seen[0].filename == __file__


def test_what_is_deprecated_in_typing_is_accepted_in_silence() -> None:
    @typechecked
    def trace(x: typing.List[int], y: typing.Callable[[int], int]) -> int:  # noqa: UP006
        return len(x)

    assert trace([1], abs) == 1


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("bacth seq", "batch"),
        ("batch channnels", "channels"),
        ("batch chanels", "channels"),
        ("batch seq_q", None),
        ("batch head", None),
        ("batch d_out d_in", None),
        ("hw wh", None),
        ("batch height width depth", None),
        ("dim12 dim21", None),
    ],
)
def test_a_name_that_occurs_once_by_a_slip_is_warned_about(spec: str, meant: str | None) -> None:
    def use(x, y, z): ...  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202

    use.__annotations__ = {
        "x": Float[Tensor, "batch channels seq_k heads"],
        "y": Float[Tensor, "batch channels"],
        "z": Float[Tensor, spec],
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        typechecked(use)
    found = [str(each.message) for each in caught]
    assert [text.rpartition("did you mean ")[2] for text in found] == (
        [] if meant is None else [f"`{meant}`?"]
    )
