# SPDX-License-Identifier: Apache-2.0
"""What the interpreter tells, and how often; without mypy."""

from __future__ import annotations

import sys

import pytest

from tests.typedtensors_mypy.programs import findings
from typedtensors.config import Config

HEADER = """\
import torch
from jaxtyping import Float
from torch import Tensor, nn

"""
MSE = """
def mse(pred: Float[Tensor, "n 1"], target: Float[Tensor, "n"]) -> Tensor:
    return ((pred - target) ** 2).mean()
"""


def told(source: str, config: Config | None = None) -> list[tuple[int, str]]:
    """The line and the code of each error; lines counted without the header."""
    offset = HEADER.count("\n")
    found = findings(HEADER + source, config)
    return [(each.place.line - offset, each.code.name) for each in found if each.code is not None]


def test_one_bug_is_told_once() -> None:
    """The difference is not known any more, so that its square, mean and return say nothing."""
    assert told(MSE) == [(3, "tensor-broadcast")]


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(Config(broadcasts="allow"), id="level"),
        pytest.param(Config(allow=("main.mse",)), id="function"),
        pytest.param(Config(allow=("main.py",)), id="file"),
    ],
)
def test_broadcasts_can_be_allowed(config: Config) -> None:
    assert told(MSE, config) == []


def test_the_level_explicit_tells_of_a_bias() -> None:
    source = """
def f(x: Float[Tensor, "n d"], b: Float[Tensor, "d"]) -> Tensor:
    return x + b
"""
    assert told(source) == []
    assert told(source, Config(broadcasts="explicit")) == [(3, "tensor-broadcast")]


def test_a_helper_is_told_of_once_however_often_it_is_called() -> None:
    source = """
def difference(a, b):
    return a - b

def use():
    for _ in range(3):
        difference(torch.zeros(2), torch.zeros(3))
    difference(torch.zeros(4), torch.zeros(5))
"""
    assert told(source) == [(3, "tensor-shape")]


def test_a_mistake_in_a_loop_that_changes_its_values_is_told() -> None:
    source = """
def f(xs: list[Float[Tensor, "n d"]], y: Float[Tensor, "m d"]) -> None:
    total = None
    for x in xs:
        total = x if total is None else torch.cat([total, x])
        x + y
"""
    assert told(source) == [(6, "tensor-shape")]


def test_code_that_is_not_reached_is_not_gone_through() -> None:
    source = """
def f(x: Float[Tensor, "n"]) -> None:
    if x.ndim == 2:
        x.sum(1)
    if isinstance(x, str):
        x.sum(1)
    return
    x.sum(1)
"""
    assert told(source) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    return f(x)", id="itself"),
        pytest.param("    return [f(y) for y in x]", id="comprehension"),
        pytest.param("    g = lambda y: f(y)\n    return g(x)", id="lambda"),
        pytest.param("    return f(f(f(x)))", id="nested"),
        pytest.param("    while True:\n        x = f(x)", id="endless"),
    ],
)
def test_recursion_comes_to_an_end(body: str) -> None:
    assert told(f"def f(x):\n{body}\n\ny = f(torch.zeros(3))\n") == []


def test_the_cost_of_calls_within_calls_is_bounded() -> None:
    lines = ["def f0(x):\n    return x + 1\n"]
    lines += [f"def f{k}(x):\n    return f{k - 1}(x + {k}) + f{k - 1}(x.T)\n" for k in range(1, 40)]
    assert told("".join(lines) + "f39(torch.zeros(2, 3))\n") in ([], [(4, "tensor-shape")])


@pytest.mark.parametrize(
    ("given", "followed"),
    [
        pytest.param("kind", False, id="text"),
        pytest.param("[kind, None]", False, id="list"),
        pytest.param("load(kind)", False, id="unknown"),
        pytest.param("len(kind)", True, id="size"),
        pytest.param("{kind: x}", True, id="array"),
        pytest.param("[nn.Linear(2, 3)]", True, id="layer"),
        pytest.param("lambda: x", True, id="closure"),
    ],
)
def test_a_call_inside_of_another_is_followed_for_what_it_brings(
    given: str, *, followed: bool
) -> None:
    found = told(
        "def made(y):\n    return torch.zeros(2, 3)\n"
        f"def outer(x, kind):\n    return made({given})\n"
        "outer(torch.zeros(7), 'a') + torch.zeros(4, 5)\n"
    )
    assert found == ([(5, "tensor-shape")] if followed else [])


@pytest.mark.parametrize(
    "source",
    [
        "x = [*range(3), *y]",
        "a, *b = torch.zeros(3)",
        "a = b = c.d.e[0](1)(2)",
        "f'{x!r:>{y}}'",
        "match x:\n    case [1, *rest] if rest: pass\n    case {'k': v, **o}: pass",
        "match x:\n    case A(b=c) | A(c): pass\n    case _: pass",
        "async def f():\n    async with a as b:\n        async for c in d: await c\n    yield 1",
        pytest.param(
            "try:\n    pass\nexcept* ValueError as e:\n    pass",
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="new in Python 3.11"),
        ),
        "with open(a) as (b, c), d: pass",
        "lambda *a, k=1, **b: (yield)",
        "def f(a, /, b, *, c=1, **d): return a",
        "class A(B[int], metaclass=M, k=1):\n    x: int = 1\n    def x(self): pass",
        "del x, y[0], z.w",
        "global q\nq = 1",
        "x: int\nx += 1\n(y := 2)",
        "for i in range(3):\n    break\nelse:\n    x = 1",
        "torch.zeros(-1)[0, ..., None, 1:2:0]",
        "torch.zeros(3)[5]",
        "torch.cat([])\ntorch.stack(())",
        "print(*[], **{}, sep='')",
        "x = 1 if y else 2 or 3 and not 4",
        "10 ** 10 ** 10\n1 // 0\n1 % 0\n'a' * 3",
        "def f(): return\nf()()()",
        "class A:\n    def __init__(self): self.a = A()\nA().a.a.a",
        "import a.b.c as d, e.f\nfrom . import g\nfrom .. import h",
        "nn.Sequential(*layers)(x)\nnn.Linear()\nnn.Linear(1, 2)(3)",
        "super().x\nsuper()",
        "@property\n@unknown(1)\ndef f(x): return x\nf(1)",
        "type(x)(1)\nisinstance(1)\nlen()\nzip()\nmax()\nsum()",
        "len(x, y)\nlist(x, y)\ntuple(x, y)\n{'a': x}.setdefault(nn.Linear(1, 2), y)",
    ],
)
def test_any_syntax_is_survived(source: str) -> None:
    findings(HEADER + source)


def test_a_named_tuple_that_is_made_of_the_wrong_arrays_is_told_of_once() -> None:
    source = """
from typing import NamedTuple
class Pair(NamedTuple):
    left: Float[Tensor, "n d"]
    right: Float[Tensor, "n"]
def f(x: Float[Tensor, "n d"]) -> Tensor:
    pair = Pair(x, x)
    return pair.left + pair.right
"""
    assert told(source) == [(7, "tensor-rank")]


def test_what_python_warns_of_is_checked_and_not_repeated() -> None:
    """Warnings are errors in these tests, as with `python -W error`."""
    assert told(f'DIGITS = "\\d+"\n{MSE}') == [(4, "tensor-broadcast")]


def test_an_equation_in_words_may_stand_in_front() -> None:
    """As `fancy_einsum` has it, which is not installed here."""
    source = """
from fancy_einsum import einsum
def f(x: Float[Tensor, "b n d"], w: Float[Tensor, "h d k"]) -> Float[Tensor, "b n h k"]:
    return einsum("batch n d, head d k -> batch n head k", x, w)
def g(x: Float[Tensor, "b n d"], w: Float[Tensor, "h d k"]) -> Float[Tensor, "b n h k"]:
    return einsum("batch n d, head d k -> batch head n k", x, w)
"""
    assert told(source) == [(6, "tensor-shape")]
