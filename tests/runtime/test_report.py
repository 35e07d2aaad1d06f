# SPDX-License-Identifier: Apache-2.0
"""The error is a table that says who is to blame, and proposes only what was seen to help."""

from __future__ import annotations

import asyncio
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

import jaxtyping
import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float, Float32, Int, Shaped
from torch import Tensor, nn

from typedtensors import TensorCheckError, TensorError, check, typechecked

f = torch.zeros

TABLE = """\
typedtensors: attention(): dim `batch` disagrees  [tensor-shape]
  arg  annotation       actual           batch  heads  t  d  s
  q    batch heads t d  f32[2, 4, 7, 8]    2      4    7  8  -   <- batch first bound here (axis 0)
  k    batch heads s d  f32[2, 4, 9, 8]    2      4    -  8  9
  v    batch heads s d  f32[3, 4, 9, 8]  > 3 <    4    -  8  9   <- 3 != 2; 2 of 3 say 2
  hint: only `v` differs"""


@typechecked
def attention(
    q: Float[Tensor, "batch heads t d"],
    k: Float[Tensor, "batch heads s d"],
    v: Float[Tensor, "batch heads s d"],
) -> Float[Tensor, "batch heads t d"]:
    return (q @ k.mT).softmax(-1) @ v


@typechecked
def loss(pred: Float[Tensor, "n"], target: Float[Tensor, "n"]) -> Float[Tensor, ""]:
    return ((pred - target) ** 2).mean()


@typechecked
def embed(ids: Int[Tensor, "b t"], table: Float[Tensor, "v d"]) -> Float[Tensor, "b t d"]:
    return table[ids].transpose(1, 2)


@typechecked
def project(x: Float[Tensor, "b d"], w: Float[Tensor, "k d"]) -> Float[Tensor, "b k"]:
    return x @ w.mT


@typechecked
def scale(x: Float[np.ndarray, "b d"], w: Float[np.ndarray, "d"]) -> Float[np.ndarray, "b d"]:
    return np.asarray(x * w)


@typechecked
def select(x: Float[Tensor, "n d"], mask: Bool[Tensor, "n"]) -> Float[Tensor, "m d"]:
    return x[mask]


def error_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> TensorCheckError:
    with pytest.raises(TensorCheckError) as caught:
        function(*args, **kwargs)
    return caught.value


def test_the_table_in_full() -> None:
    error = error_of(attention, f(2, 4, 7, 8), f(2, 4, 9, 8), f(3, 4, 9, 8))
    lines = str(error).splitlines()
    place = next(line for line in lines if "called from" in line)
    lines.remove(place)
    assert "\n".join(lines) == TABLE
    assert place.startswith("  called from ")
    assert "test_report.py:" in place


def test_the_error_carries_its_facts() -> None:
    error = error_of(attention, f(2, 4, 7, 8), f(2, 4, 9, 8), f(3, 4, 9, 8))
    assert error.code == "tensor-shape"
    assert error.function == "attention"
    assert (error.argument, error.axis, error.expected, error.actual) == ("v", 0, 2, 3)
    assert error.bindings == {"batch": 2, "heads": 4, "t": 7, "s": 9, "d": 8}
    assert error.hint is None
    assert error.diagnostic.message == (
        "argument `v` of `attention`: axis 0 is 3, expected 2 from axis 0 of `q`"
    )


def test_existing_handlers_catch_it() -> None:
    error = error_of(loss, f(3), f(4))
    assert isinstance(error, jaxtyping.TypeCheckError)
    assert isinstance(error, TensorError)


def test_it_survives_pickling_and_holds_no_array() -> None:
    error = error_of(attention, f(2, 4, 7, 8), f(2, 4, 9, 8), f(3, 4, 9, 8))
    data = pickle.dumps(error)
    loaded = pickle.loads(data)  # noqa: S301
    assert b"torch" not in data
    assert str(loaded) == str(error)
    assert loaded.bindings == error.bindings
    assert loaded.diagnostic == error.diagnostic


def test_the_odd_one_out_is_blamed_even_if_it_came_first() -> None:
    """From left to right, `k` would be the first to contradict."""
    error = error_of(attention, f(3, 4, 7, 8), f(2, 4, 9, 8), f(2, 4, 9, 8))
    assert (error.argument, error.expected, error.actual) == ("q", 2, 3)


@pytest.mark.parametrize(
    ("function", "args", "code", "hint"),
    [
        pytest.param(loss, (f(9, 1), f(9)), "rank", "pass `pred.squeeze(-1)`", id="squeeze last"),
        pytest.param(loss, (f(9), f(1, 9)), "rank", "pass `target.squeeze(0)`", id="squeeze first"),
        pytest.param(loss, (f(9, 2), f(9)), "rank", None, id="nothing to squeeze"),
        pytest.param(loss, (f(8, 1), f(9)), "rank", None, id="squeezing is not enough"),
        pytest.param(loss, (f(8), f(9)), "shape", None, id="no change helps"),
        pytest.param(
            project, (f(5, 3), f(3, 4)), "shape", "pass `w.transpose(0, 1)`", id="transpose"
        ),
        pytest.param(project, (f(3), f(4, 3)), "rank", "pass `x.unsqueeze(0)`", id="unsqueeze"),
        pytest.param(embed, (f(2, 3), f(9, 4)), "dtype", "pass `ids.long()`", id="cast"),
        pytest.param(
            embed, (f(9, 4), f(2, 3).long()), "dtype", "swap `ids` and `table`", id="swapped"
        ),
        pytest.param(
            embed,
            (f(2, 3).long(), f(9, 4)),
            "shape",
            "return `result.transpose(1, 2)`",
            id="result",
        ),
        pytest.param(select, (f(3, 2), f(3)), "dtype", "pass `mask.bool()`", id="mask"),
        pytest.param(
            scale, (np.zeros((2, 3)), np.zeros((3, 1))), "rank", "pass `w.squeeze(-1)`", id="numpy"
        ),
        pytest.param(
            scale, (np.zeros(3), np.zeros(3)), "rank", "pass `np.expand_dims(x, 0)`", id="expand"
        ),
        pytest.param(
            scale,
            (np.zeros((2, 3)), np.zeros(3, int)),
            "dtype",
            'pass `w.astype("float32")`',
            id="astype",
        ),
        pytest.param(
            scale,
            (np.zeros((3, 2)), np.zeros(3)),
            "shape",
            "pass `x.swapaxes(0, 1)`",
            id="swapaxes",
        ),
        pytest.param(
            loss, (f(3), np.zeros(3)), "op", "pass `torch.from_numpy(target)`", id="from numpy"
        ),
        pytest.param(scale, (np.zeros((2, 3)), f(3)), "op", "pass `w.numpy()`", id="to numpy"),
        pytest.param(loss, (f(3), [0.0]), "op", None, id="no array at all"),
    ],
)
def test_a_hint_is_printed_only_if_it_makes_the_call_check(
    function: Callable[..., Any], args: tuple[Any, ...], code: str, hint: str | None
) -> None:
    error = error_of(function, *args)
    assert error.code == f"tensor-{code}"
    assert error.hint == hint
    assert hint is None or f"  hint: {hint}" in str(error)


def test_an_ambiguous_fix_is_not_proposed() -> None:
    """Each of the two could be transposed."""

    @typechecked
    def add(x: Float[Tensor, "a b"], y: Float[Tensor, "a b"]) -> None: ...

    assert error_of(add, f(2, 3), f(3, 2)).hint is None


def test_a_return_is_compared_with_the_arguments() -> None:
    error = error_of(embed, f(2, 3).long(), f(9, 4))
    assert (error.argument, error.axis, error.expected, error.actual) == ("return", 1, 3, 4)
    assert "  return  b t d       f32[2, 4, 3]" in str(error)
    assert "  ids     b t         i64[2, 3]" in str(error)
    assert "<- t first bound here (axis 1)" in str(error)


def test_ranks_that_differ_are_said_in_axes() -> None:
    error = error_of(attention, f(2, 4, 7, 8), f(2, 9, 8), f(2, 4, 9, 8))
    assert (error.argument, error.expected, error.actual) == ("k", 4, 3)
    assert "<- 3 axes, expected 4" in str(error)


def test_arithmetic_is_shown_with_its_value() -> None:
    @typechecked
    def pair(x: Float[Tensor, "d"], y: Float[Tensor, "2*d"]) -> None: ...

    error = error_of(pair, f(3), f(7))
    assert (error.expected, error.actual) == (6, 7)
    assert "> 7 <   <- 7 != 2*d = 6" in str(error)


def test_an_attribute_in_a_spec_is_read() -> None:
    class Model:
        width = 4

        @typechecked
        def forward(self, x: Float[Tensor, "b {self.width}"]) -> Any:
            return x

    error = error_of(Model().forward, f(2, 5))
    assert error.function == "Model.forward"
    assert (error.axis, error.expected, error.actual) == (1, 4, 5)


def test_a_variadic_is_one_column() -> None:
    @typechecked
    def add(x: Float[Tensor, "*batch d"], y: Float[Tensor, "*batch d"]) -> None: ...

    error = error_of(add, f(2, 3, 4), f(2, 5, 4))
    assert (error.argument, error.axis, error.expected, error.actual) == ("y", 1, 3, 5)
    assert "> (2, 5) <" in str(error)
    assert "dim `*batch` disagrees" in str(error)


def test_an_exact_dtype_is_named() -> None:
    @typechecked
    def exact(x: Float32[Tensor, "n"], y: Shaped[Tensor, "n"]) -> None: ...

    error = error_of(exact, f(3).double(), f(3).bool())
    assert (error.code, error.expected, error.actual) == ("tensor-dtype", "Float32", "float64")
    assert 'Float32[Tensor, "n"]  f64[3]' in str(error)
    assert error.hint == "pass `x.float()`"


def test_what_is_no_array_needs_no_table() -> None:
    @typechecked
    def train(x: Float[Tensor, "n"], steps: int, names: list[str]) -> None: ...

    error = error_of(train, f(3), "10", [])
    assert str(error).splitlines()[0] == (
        "typedtensors: `train`: argument `steps` is str, expected int  [tensor-op]"
    )
    assert (error.argument, error.expected, error.actual) == ("steps", "int", "str")
    assert "is list, expected list[str]" in str(error_of(train, f(3), 10, [1]))


def test_a_module_is_called_by_its_user_not_by_the_framework() -> None:
    class Net(nn.Module):
        @typechecked
        def forward(self, x: Float[Tensor, "b 4"]) -> Any:
            return x

    assert "test_report.py:" in str(error_of(Net(), f(2, 5)))


def test_a_notebook_cell_is_named_as_its_user_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython compiles each cell under a file name of its own, and says which cell that is."""

    def format_code_name(name: str) -> tuple[str, str] | None:
        return ("Cell", "In[3]") if name == "<cell>" else None

    compiler = types.SimpleNamespace(format_code_name=format_code_name)
    shell = types.SimpleNamespace(compile=compiler)
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    names = {"loss": loss, "x": f(3), "y": f(4)}
    with pytest.raises(TensorCheckError, match=r"called from In\[3\]:2"):
        exec(compile("\nloss(x, y)", "<cell>", "exec"), names)  # noqa: S102


def test_check_compares_with_what_the_arguments_bound() -> None:
    @typechecked
    def encode(x: Float[Tensor, "b t"]) -> Any:
        return check(f(len(x), 9), Float[Tensor, "b t"])

    error = error_of(encode, f(2, 3))
    assert (error.function, error.argument) == ("check", "x")
    assert (error.axis, error.expected, error.actual) == (1, 3, 9)
    assert "  where t = 3" in str(error)


def test_an_int_is_found_where_a_flexible_axis_is_wrong() -> None:
    @typechecked
    def add(x: Float[Tensor, "b d"], y: Float[Tensor, "#b d"]) -> None: ...

    error = error_of(add, f(2, 3), f(4, 3))
    assert (error.axis, error.actual) == (0, 4)


def test_a_bug_in_the_explanation_does_not_hide_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("no rows")

    monkeypatch.setattr("typedtensors.runtime.report.explanation.find_blame", broken)
    error = error_of(loss, f(3), f(4))
    assert (error.function, error.argument) == ("loss", "target")
    assert "internal error, please report it: ZeroDivisionError: no rows" in str(error)


def test_a_result_is_traced_to_the_function_that_made_it() -> None:
    error = error_of(embed, f(2, 3).long(), f(9, 4))
    line = embed.__wrapped__.__code__.co_firstlineno  # type: ignore[attr-defined]
    assert f"test_report.py:{line}\n  called from " in str(error)


def test_a_long_list_is_cut_but_not_what_matters() -> None:
    @typechecked
    def stack(xs: list[Float[Tensor, "n d"]]) -> None: ...

    error = error_of(stack, [f(3, 4)] * 500 + [f(4, 3)] + [f(3, 4)] * 500)
    lines = str(error).splitlines()
    assert len(lines) < 20
    assert error.argument == "xs[500]"
    assert error.hint == "pass `xs[500].transpose(0, 1)`"
    assert "  and 988 more" in lines
    assert any(line.startswith("  xs[500]") for line in lines)


def test_no_option_of_a_union_fits() -> None:
    @typechecked
    def either(x: Float[Tensor, "n"] | Int[Tensor, "n k"]) -> None: ...

    error = error_of(either, f(2, 3))
    assert "argument `x` is Tensor f32[2, 3], expected " in str(error)


def test_a_task_is_traced_to_the_users_code() -> None:
    @typechecked
    async def work(x: Float[Tensor, "n"]) -> None: ...

    assert "test_report.py:" in str(error_of(asyncio.run, work(f(2, 3))))


def test_a_derived_tensor_is_fixed_as_a_tensor_is() -> None:
    class Derived(torch.Tensor): ...

    x = f(9, 1).as_subclass(Derived)
    assert error_of(loss, x, f(9)).hint == "pass `pred.squeeze(-1)`"


def test_a_part_of_a_result_is_no_argument() -> None:
    @typechecked
    def split(x: Float[Tensor, "b d"]) -> tuple[Float[Tensor, "b"], Float[Tensor, "d"]]:
        return x.sum(1, keepdim=True), x.sum(0)

    with pytest.raises(TensorCheckError) as caught:
        split(f(2, 3))
    said = caught.value.diagnostic.text
    assert said.startswith("`return[0]` of `split`: 2 axes (2, 1)")
    assert said.endswith("fix: hand out `return[0].squeeze(-1)`")


def test_a_container_is_named_as_its_author_wrote_it() -> None:
    @typechecked
    def stack(xs: list[Float[Tensor, "n"]], mask: Bool[Tensor, "n"]) -> None: ...

    with pytest.raises(TensorCheckError, match=r"is tuple, expected list\[Float\[Tensor, 'n'\]\]"):
        stack((f(2),), f(2).bool())  # type: ignore[arg-type]
    with pytest.raises(TensorCheckError, match="argument `mask` is None, expected Tensor"):
        stack([f(2)], None)  # type: ignore[arg-type]
