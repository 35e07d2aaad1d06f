# SPDX-License-Identifier: Apache-2.0
"""Ordinary calls are decided by generated code; what it can not read is checked in full."""

from __future__ import annotations

import asyncio
import gc
import inspect
import linecache
import pickle
import re
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import cloudpickle  # type: ignore[import-untyped]
import jaxtyping
import numpy as np
import pytest
import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from typedtensors import TensorCheckError, check, typechecked
from typedtensors.runtime.calls.checker import Checker
from typedtensors.runtime.codegen import support
from typedtensors.runtime.codegen.support import Misfit, join
from typedtensors.runtime.scope import current_stack

f, i = torch.zeros, torch.zeros(3, dtype=torch.int64)
Array = TypeVar("Array", Tensor, np.ndarray)
Nested = Float[Float[Tensor, "c"], "b"]


class Pair(NamedTuple):
    mean: Float[Tensor, "d"]
    total: int


class Sized:
    d = 3

    def method(self, x: Float[Tensor, "{self.d}"]) -> Float[Tensor, "{self.d}*2"]:
        return f(6)


def plain(x: Float[Tensor, "b d"], y: Float[Tensor, "b"]) -> Float[Tensor, "d"]:
    return x[0]


def in_lists(depth: int) -> tuple[Any, Any]:
    """A list of lists of tensors, and its annotation."""
    annotation: Any = Float[Tensor, "n n"]
    value: Any = f(2, 2)
    for _ in range(depth):
        annotation, value = list[annotation], [value]
    return annotation, value


def repeated(x: Float[Tensor, "n n"]) -> None: ...


def optional(x: Float[Tensor, "n"], m: Int[Tensor, "n"] | None = None, k: int = 3) -> None: ...


def implicit(x: Float[Tensor, "n"], m: Int[Tensor, "n"] = None) -> None: ...  # type: ignore[assignment]


def bound_by_either(x: Float[Tensor, "n"] | None, y: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    return y


def packed(*xs: Float[Tensor, "n"], **named: Float[Tensor, "n"]) -> None: ...


def separated(a: Float[Tensor, "n"], /, b: int, *, c: Float[Tensor, "n"] | None = None) -> None: ...


def spread(x: Float[Tensor, "*b d"], y: Float[Tensor, "*b #d"]) -> Float[Tensor, "... d"]:
    return x


def stretched(x: Float[Tensor, "*#b"], y: Float[Tensor, "*#b"]) -> Float[Tensor, "*b"]:
    return f(3, 4)


def early(x: Float[Tensor, "n+1 #n*2"], y: Float[Tensor, "n"]) -> Float[Tensor, "min(n,2)"]:
    return f(2)


def fixed(x: Float[Tensor, "rows=2 3 _"]) -> Float[Tensor, ""]:
    return x.sum()


def any_dtype(x: Shaped[Tensor, "n"], y: Shaped[np.ndarray, "n"]) -> None: ...


def generic(x: Float[Array, "n"]) -> Float[Array, "n"]:
    return x


def nested(x: Nested) -> None: ...


def containers(
    xs: list[Float[Tensor, "n"]], d: dict[str, tuple[Float[Tensor, "n"], int]], s: Sequence[Pair]
) -> None: ...


def either(x: int | Float[Tensor, "n"] | Float[Tensor, "n n"], y: Float[Tensor, "n"]) -> None: ...


def others(
    a: float, b: str | None, c: list[int], d: Callable[[int], int], e: Any, *g: nn.Module
) -> None: ...


ORDINARY = [
    pytest.param(plain, (f(2, 3), f(2)), {}, id="plain"),
    pytest.param(plain, (), {"y": f(2), "x": f(2, 3)}, id="keywords"),
    pytest.param(plain, (nn.Parameter(f(2, 3)), f(2)), {}, id="parameter of a model"),
    pytest.param(repeated, (f(3, 3),), {}, id="a name twice"),
    pytest.param(optional, (f(3),), {}, id="default"),
    pytest.param(optional, (f(3), i, 4), {}, id="optional given"),
    pytest.param(implicit, (f(3),), {}, id="a default that does not fit"),
    pytest.param(bound_by_either, (None, f(3)), {}, id="bound by the second"),
    pytest.param(bound_by_either, (f(3), f(3)), {}, id="bound by the first"),
    pytest.param(packed, (f(3), f(3)), {"a": f(3)}, id="packed"),
    pytest.param(packed, (), {}, id="nothing"),
    pytest.param(separated, (f(3), 1), {"c": f(3)}, id="separators"),
    pytest.param(spread, (f(2, 3, 4), f(2, 3, 1)), {}, id="variadic"),
    pytest.param(stretched, (f(3, 1), f(4)), {}, id="flexible variadic"),
    pytest.param(early, (f(4, 1), f(3)), {}, id="arithmetic before its name"),
    pytest.param(Sized().method, (f(3),), {}, id="argument in a spec"),
    pytest.param(fixed, (f(2, 3, 5),), {}, id="fixed"),
    pytest.param(any_dtype, (i, np.zeros(3)), {}, id="any dtype"),
    pytest.param(generic, (f(3),), {}, id="type variable"),
    pytest.param(nested, (f(2, 3),), {}, id="nested"),
    pytest.param(containers, ([f(3)], {"a": (f(3), 1)}, [Pair(f(2), 1)]), {}, id="containers"),
    pytest.param(either, (f(3, 3), f(3)), {}, id="union"),
    pytest.param(either, (1, f(3)), {}, id="union without an array"),
    pytest.param(others, (1, None, [1], abs, 0, nn.ReLU()), {}, id="no arrays"),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), ORDINARY)
def test_generated_code_accepts_what_the_full_check_accepts(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = typechecked(function)
    assert current_stack() == []  # a thread's first check is a full one
    monkeypatch.setattr(Checker, "full", None)
    checked(*args, **kwargs)


def test_a_new_thread_s_first_call_is_checked_too() -> None:
    checked = typechecked(repeated)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(checked, f(3, 3)).result() is None
    with ThreadPoolExecutor(1) as pool, pytest.raises(TensorCheckError):
        pool.submit(checked, f(3, 4)).result()


@pytest.mark.filterwarnings("ignore::typedtensors.SpecWarning")
@pytest.mark.parametrize(
    "annotation",
    [
        pytest.param(Float[Tensor, "?n"], id="place in a tree"),
        pytest.param(Float[Tensor, "dim{k}"], id="name made of a value"),
        pytest.param(Float[Tensor, "n-{k!r}"], id="formatted value"),
        pytest.param(Float[Tensor, "n+m"], id="name that nothing binds"),
        pytest.param(type[Float[Tensor, "n"]], id="jaxtyping within beartype's"),
    ],
)
def test_what_depends_on_its_surroundings_is_left_to_the_full_check(annotation: Any) -> None:
    def function(x: Any, k: int = 3) -> None: ...

    function.__annotations__["x"] = annotation
    assert not hasattr(typechecked(function), "__typedtensors_source__")


def test_the_generated_text_can_be_read() -> None:
    text: Any = typechecked(plain).__typedtensors_source__  # type: ignore[attr-defined]
    assert "b, d] = x.shape" in text
    assert "# y: Float[Tensor, 'b']" in text


@pytest.mark.parametrize("kind", ["coroutine", "method of a class that is not there yet"])
def test_it_can_be_read_of_other_kinds_too(kind: str) -> None:
    if kind == "coroutine":

        @typechecked
        async def function(x: Float[Tensor, "n"]) -> None: ...

        assert "def enter(x):" in function.__typedtensors_source__  # type: ignore[attr-defined]
        asyncio.run(function(f(3)))
        return

    class Node:
        @typechecked
        def link(self, other: Node) -> Node:
            return other

    assert isinstance(Node().link(Node()), Node)
    assert "def enter(self, other):" in Node.link.__typedtensors_source__  # type: ignore[attr-defined]


def test_a_traceback_shows_the_generated_line() -> None:
    checked = typechecked(plain)
    code = checked.__code__
    assert linecache.getline(code.co_filename, code.co_firstlineno).strip() == "def plain(x, y):"
    with pytest.raises(TensorCheckError) as caught:
        checked(f(2, 3), f(3))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.line for frame in frames][1:] == ["raise error"]
    assert re.match(r"<typedtensors plain, .*test_codegen.py:\d+>", frames[1].filename)


def test_the_caller_is_named_and_not_the_generated_code() -> None:
    with pytest.raises(TensorCheckError, match=r"called from .*test_codegen.py"):
        typechecked(plain)(f(2, 3), f(3))


def test_names_of_parameters_and_dims_and_of_our_own_do_not_clash() -> None:
    @typechecked
    def function(
        memo: Float[Tensor, "stack"],
        stack: Float[Tensor, "memo"],
        Misfit: Float[Tensor, "function"],
        function: Float[Tensor, "Tensor type"],
        error: Float[Tensor, "isinstance"],
        result: Float[Tensor, "stack"],
    ) -> Float[Tensor, "stack memo function Tensor type isinstance"]:
        return f(2, 3, 4, 5, 6, 7)

    function(f(2), f(3), f(4), f(5, 6), f(7), f(2))
    with pytest.raises(TensorCheckError):
        function(f(2), f(3), f(4), f(5, 6), f(7), f(3))


def test_a_lambda_is_checked() -> None:
    function = lambda x: x  # noqa: E731
    function.__annotations__ = {"x": Float[Tensor, "n n"]}
    checked = typechecked(function)
    checked(f(2, 2))
    with pytest.raises(TensorCheckError):
        checked(f(2, 3))


def test_a_default_that_is_passed_explicitly_is_checked() -> None:
    checked = typechecked(implicit)
    checked(f(3))
    with pytest.raises(TensorCheckError, match="`m` is None"):
        checked(f(3), None)  # type: ignore[arg-type]


def test_the_body_sees_the_bindings_of_a_call_and_adds_to_them() -> None:
    @typechecked
    def encode(x: Float[Tensor, "*s n"], k: int = 2) -> Float[Tensor, "n m"]:
        check(f(k), Float[Tensor, "{k}"])
        check(f(5, 7), Float[Tensor, "*s"])
        check(f(9), Float[Tensor, "m"])
        return f(3, 8)

    with pytest.raises(TensorCheckError) as caught:
        encode(f(5, 7, 3))
    assert (caught.value.axis, caught.value.expected, caught.value.actual) == (1, 9, 8)


def test_jaxtyping_prints_the_bindings_of_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    @typechecked
    def show(x: Float[Tensor, "*s n"], y: Float[Tensor, "*#t"]) -> None:
        jaxtyping.print_bindings()

    show(f(5, 7, 3), f(1))
    assert re.findall(r"\w+=.*", capsys.readouterr().out) == ["n=3", "s=(5, 7)", "t=(1,)"]


def test_nothing_of_a_call_is_kept() -> None:
    checked = typechecked(plain)
    x = f(2, 3)
    kept = weakref.ref(x)
    checked(x, f(2))
    del x
    assert kept() is None


def test_a_function_that_is_gone_leaves_nothing_behind() -> None:
    def decorate() -> Any:
        def local(x: Float[Tensor, "n"]) -> None: ...

        typechecked(local)(f(3))
        return weakref.ref(local)

    kept = decorate()
    gc.collect()
    assert kept() is None


def test_generated_code_pickles_by_value_and_still_checks() -> None:
    @typechecked
    def local(
        x: Float[Tensor, "*#b n"], y: Float[Tensor, "*#b n"], k: int | None = None
    ) -> Float[Tensor, "n"]:
        return x[0]

    loaded = pickle.loads(cloudpickle.dumps(local))  # noqa: S301
    loaded(f(1, 3), f(2, 3))
    with pytest.raises(TensorCheckError):
        loaded(f(1, 3), f(2, 4))


@pytest.mark.parametrize("value", [support.ABSENT, support.dtype_table(("float32",))])
def test_what_generated_code_uses_pickles_as_itself(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) is value  # noqa: S301


def test_dtypes_are_named_as_jaxtyping_names_them() -> None:
    table = support.dtype_table(("float32", re.compile("int.*")))
    assert table[torch.float32]
    assert table[np.dtype("float32")]
    assert table["int7"]
    assert not table[torch.float64]
    with pytest.raises(Misfit):
        table[np.dtype([("a", "f4")])]


RUNS: list[tuple[bool, tuple[int, ...]]] = [
    (flexible, run) for flexible in (True, False) for run in ((), (1,), (3,), (3, 1), (2, 3), (0,))
]


@pytest.mark.parametrize("first", RUNS)
@pytest.mark.parametrize("second", RUNS)
def test_runs_join_as_in_jaxtyping(first: Any, second: Any) -> None:
    def accepted() -> Any:
        with jaxtyping.jaxtyped("context"):  # type: ignore[call-overload]
            for flexible, run in (first, second):
                spec = "*#b" if flexible else "*b"
                if not isinstance(np.zeros(run), Shaped[np.ndarray, spec]):  # type: ignore[misc]
                    return None
            return jaxtyping._storage.get_shape_memo()[1]["b"]

    try:
        joined = join(join(None, list(first[1]), first[0]), list(second[1]), second[0])
    except Misfit:
        joined = None
    assert joined == accepted()


def test_signatures_are_those_of_the_function() -> None:
    checked = typechecked(separated)
    assert inspect.signature(checked) == inspect.signature(separated)
    with pytest.raises(TypeError, match=r"separated\(\) missing 1 required positional argument"):
        checked(f(3))  # type: ignore[call-arg]


def test_each_yielded_value_is_checked_by_generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    @typechecked
    def rows(x: Float[Tensor, "n d"]) -> Iterator[Float[Tensor, "d k"]]:
        yield from (f(3, 1), f(3, 2))

    monkeypatch.setattr(Checker, "full", None)
    assert len(list(rows(f(2, 3)))) == 2


def test_what_is_nested_too_deeply_for_python_is_checked_in_full() -> None:
    def use(x: Any) -> None: ...

    use.__annotations__["x"], value = in_lists(30)
    checked = typechecked(use)
    assert not hasattr(checked, "__typedtensors_source__")
    checked(value)
    with pytest.raises(TensorCheckError):
        checked([value])
