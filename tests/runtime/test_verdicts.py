# SPDX-License-Identifier: Apache-2.0
"""`@typechecked` accepts and rejects the calls that jaxtyping with beartype does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jaxtyping
import numpy as np
import pytest
import torch
from beartype import beartype
from hypothesis import given, settings, strategies as st
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from typedtensors import SpecWarning, TensorCheckError, typechecked


def attend(
    q: Float[Tensor, "b t d"], k: Float[Tensor, "b s d"], scale: float = 1.0
) -> Float[Tensor, "b t s"]:
    return scale * q @ k.mT


def flip(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:
    return x.mT


def spread(x: Float[Tensor, "*b d"], w: Float[Tensor, "#d"]) -> Float[Tensor, "*b d"]:
    return x * w


def optional(x: Float[Tensor, "n"], mask: Int[Tensor, "n"] | None = None) -> None: ...


def either(x: Float[Tensor, "n"] | Float[Tensor, "n 2"], y: Float[Tensor, "n"]) -> None: ...


def packed(
    x: Float[Tensor, "n"], *rest: Float[Tensor, "n"], **named: Float[Tensor, "n"]
) -> None: ...


def doubled(x: Float[Tensor, "n"]) -> Float[Tensor, "2*n"]:
    return torch.cat([x, x])


def sized(x: Float[Tensor, "n"], k: int) -> Float[Tensor, "n {k}"]:
    return x[:, None].expand(-1, 3)


f, i = torch.zeros, torch.zeros(3, dtype=torch.int64)


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "fits"),
    [
        pytest.param(attend, (f(2, 3, 4), f(2, 5, 4)), {}, True, id="names agree"),
        pytest.param(attend, (f(2, 3, 4), f(3, 5, 4)), {}, False, id="sizes disagree"),
        pytest.param(attend, (f(2, 3, 4), f(2, 5)), {}, False, id="rank"),
        pytest.param(attend, (f(2, 3, 4), f(2, 5, 4).long()), {}, False, id="dtype"),
        pytest.param(attend, (f(2, 3, 4), np.zeros((2, 5, 4))), {}, False, id="other array"),
        pytest.param(attend, (f(2, 3, 4), f(2, 5, 4)), {"scale": "1"}, False, id="no array"),
        pytest.param(attend, (f(2, 3, 4),), {"k": f(2, 5, 4), "scale": 2.0}, True, id="keywords"),
        pytest.param(flip, (f(2, 3),), {}, False, id="transposed return"),
        pytest.param(flip, (f(2, 2),), {}, True, id="transposed return, square"),
        pytest.param(spread, (f(2, 3, 4), f(1)), {}, True, id="variadic and flexible"),
        pytest.param(spread, (f(2, 3, 4), f(3)), {}, False, id="flexible is 1 or equal"),
        pytest.param(optional, (f(3),), {}, True, id="default"),
        pytest.param(optional, (f(3), None), {}, True, id="optional none"),
        pytest.param(optional, (f(3), i), {}, True, id="optional given"),
        pytest.param(optional, (f(4), i), {}, False, id="optional that disagrees"),
        pytest.param(either, (f(3), f(3)), {}, True, id="first of a union"),
        pytest.param(either, (f(3, 2), f(3)), {}, True, id="second of a union"),
        pytest.param(either, (f(3, 3), f(3)), {}, False, id="none of a union"),
        pytest.param(either, (f(3, 2), f(2)), {}, False, id="a union binds"),
        pytest.param(packed, (f(3), f(3)), {"y": f(3)}, True, id="packed"),
        pytest.param(packed, (f(3), f(3), f(4)), {}, False, id="packed positional"),
        pytest.param(packed, (f(3),), {"y": f(4)}, False, id="packed keyword"),
        pytest.param(doubled, (f(3),), {}, True, id="arithmetic"),
        pytest.param(sized, (f(2), 3), {}, True, id="argument in a spec"),
        pytest.param(sized, (f(2), 4), {}, False, id="argument in a spec that disagrees"),
    ],
)
def test_verdict_is_that_of_jaxtyping_with_beartype(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, fits: bool
) -> None:
    theirs = jaxtyping.jaxtyped(function, typechecker=beartype)
    for checked in (typechecked(function), theirs):
        if fits:
            checked(*args, **kwargs)
        else:
            with pytest.raises(jaxtyping.TypeCheckError):
                checked(*args, **kwargs)


SPECS = ["a b", "b a", "a", "*s a", "a *s", "#a b", "2 a", "_ b", "... b", "a+1 a", "", "*#s b"]
SHAPES = st.lists(st.integers(1, 3), max_size=3).map(tuple)


@pytest.mark.filterwarnings("ignore::typedtensors.SpecWarning")
@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SPECS), SHAPES), min_size=1, max_size=3))
def test_drawn_calls_have_the_verdict_of_jaxtyping(pairs: list[tuple[str, Any]]) -> None:
    """Where jaxtyping has one: it cannot evaluate `a+1` before it has seen `a`."""

    def function(x: Any = None, y: Any = None, z: Any = None) -> None: ...

    annotations = [Shaped[np.ndarray, spec] for spec, _ in pairs]
    function.__annotations__ = dict(zip("xyz", annotations, strict=False))
    args = [np.zeros(shape) for _, shape in pairs]
    try:
        jaxtyping.jaxtyped(function, typechecker=beartype)(*args)
    except jaxtyping.AnnotationError:
        return
    except jaxtyping.TypeCheckError:
        with pytest.raises(TensorCheckError):
            typechecked(function)(*args)
    else:
        typechecked(function)(*args)


def test_arithmetic_may_come_before_the_name_it_needs() -> None:
    @typechecked
    def step(x: Float[Tensor, "n+1"], y: Float[Tensor, "n"]) -> None: ...

    step(f(4), f(3))
    with pytest.raises(TensorCheckError) as caught:
        step(f(4), f(4))
    assert (caught.value.argument, caught.value.expected, caught.value.actual) == ("x", 5, 4)


def test_arithmetic_may_come_before_its_name_within_one_spec() -> None:
    @typechecked
    def square(x: Float[Tensor, "n+1 n"]) -> Float[Tensor, "n"]:
        return x[0]

    assert square(f(4, 3)).shape == (3,)
    with pytest.raises(TensorCheckError):
        square(f(4, 4))


def test_arithmetic_without_its_name_is_solved_for_it() -> None:
    """`n` is bound by an argument that was not passed: nothing contradicts the call."""

    @typechecked
    def tail(x: Float[Tensor, "n+1"], y: Float[Tensor, "n"] | None = None) -> Float[Tensor, "n"]:
        return x[1:]

    assert tail(f(4)).shape == (3,)


def test_a_name_that_no_argument_binds_is_an_annotation_error() -> None:
    def typo(x: Float[Tensor, "bacth+1"], y: Float[Tensor, "batch"]) -> None: ...

    said = r"typo\(\): parameter `x`: \"bacth\+1\" needs `bacth`, which .*; did you mean `batch`"
    with pytest.warns(SpecWarning, match=said):
        checked = typechecked(typo)
    with pytest.raises(jaxtyping.AnnotationError, match="bacth"):
        checked(f(4), f(3))


def test_wrong_arguments_are_reported_by_the_function_itself() -> None:
    with pytest.raises(TypeError, match=r"attend\(\) missing 1 required positional argument: 'k'"):
        typechecked(attend)(f(2, 3, 4))  # type: ignore[call-arg]


def test_names_are_fresh_at_each_call() -> None:
    @typechecked
    def halve(x: Float[Tensor, "n"]) -> Any:
        return halve(x[: len(x) // 2]) if len(x) > 1 else x

    assert halve(f(8)).shape == (1,)


def test_an_error_of_the_body_passes_through() -> None:
    @typechecked
    def fail(x: Float[Tensor, "n"]) -> None:
        raise KeyError("body")

    with pytest.raises(KeyError, match="body"):
        fail(f(3))


def test_an_int_is_accepted_where_type_checkers_accept_it() -> None:
    """Beartype by itself would not: PEP 484 promotes int to float, and float to complex."""

    @typechecked
    def train(x: Float[Tensor, "n"], rate: float, rates: list[float], z: complex = 1) -> None: ...

    train(f(3), 1, [1, 2], 1.0)
    with pytest.raises(TensorCheckError, match="`rate` is str, expected float"):
        train(f(3), "1", [])  # type: ignore[arg-type]
