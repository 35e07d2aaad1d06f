# SPDX-License-Identifier: Apache-2.0
"""However code is written, going through it comes to an end soon; what is too much is unknown."""

from __future__ import annotations

import time

import pytest

from tests.typedtensors_mypy.programs import Sources
from typedtensors.config import Config
from typedtensors.diagnostics import codes
from typedtensors_mypy.findings import Finding
from typedtensors_mypy.interpreter import check_module

# CPU seconds. The longest case takes 3 on a busy machine; without its budget any goes on for ever.
MOST_SECONDS = 30

HEADER = "import torch\nfrom torch import Tensor, nn\nfrom jaxtyping import Float\n\n"
HEAD = 'def f(x: Float[Tensor, "b d"], c):\n'
MISTAKE = '\ndef wrong(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:\n    return x.T\n'


def check(source: str) -> tuple[list[Finding], dict[str, str]]:
    """What is told of a module, and what of it is given up; fails if that takes long."""
    program = Sources({"main": HEADER + source + MISTAKE})
    module = program.module("main")
    assert module is not None, "the source is not Python"
    given_up: dict[str, str] = {}
    start = time.process_time()
    found = check_module(module, program, Config(), given_up=given_up)
    assert time.process_time() - start < MOST_SECONDS
    return found, given_up


def nested(line: str, count: int, body: str) -> str:
    """A function with blocks in blocks."""
    heads = "".join(f"{'    ' * (n + 1)}{line.format(n=n)}\n" for n in range(count))
    return f"{HEAD}{heads}{'    ' * (count + 1)}{body}\n    return x\n"


def chain(count: int, line: str, first: str = "", last: str = "    return x\n") -> str:
    """A function of many statements."""
    return HEAD + first + "".join(line.format(n=n, m=n + 1) for n in range(count)) + last


BRANCH = "    if c[{n}]:\n        y = y + {n}\n    else:\n        y = y.T\n"
NUMBER = "    if c[{n}]:\n        n = n + {n}\n    else:\n        n = n * 2\n"
FAN = "def f{n}(x):\n    return f{m}(x) + f{m}(x.T) + f{m}(x + 1)\n\n"
NAMES = "def f(x: Float[Tensor, 'b d'], " + ", ".join(f"i{n}: int" for n in range(41)) + "):\n"
CUT = "    x = x[:, i{n}:i{m}]\n"
JOINED = "    x = torch.cat([x, x[:, i{n}:i{m}]], 1)\n"
SUM = "+".join("abcdefgh")
TREES = """\
def tree{n}(x, low, high, left, right):
    if low == high:
        return x
    middle = (low + high) // 2
    tree{n}(x, low, middle, left, right)
    return tree{n}(x, middle + 1, high, left, right)

"""
BUILT = """\
def extract(x):
    if isinstance(x, list):
        return x.__class__([extract(each) for each in x])
    elif isinstance(x, dict):
        return {key: extract(each) for key, each in x.items()}
    elif isinstance(x, tuple):
        return [extract(each) for each in x], x
    return None if x is None else x

"""
PAIR = """\
class C{n}(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a, self.b = C{m}(n), C{m}(n + 1)

    def forward(self, x):
        return self.a(x) + self.b(x)

"""


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(chain(300, BRANCH, "    y = x\n"), id="branches-of-an-array"),
        pytest.param(chain(300, NUMBER, "    n = 1\n"), id="branches-of-a-number"),
        pytest.param(nested("if c[{n}]:", 90, "x = x + 1"), id="if-in-if"),
        pytest.param(nested("while c[{n}]:", 18, "x = x + 1"), id="while-in-while"),
        pytest.param(HEAD + f"    return {'torch.relu(' * 150}x{')' * 150}\n", id="call-in-call"),
        pytest.param(HEAD + f"    return {'(' * 150}x{')' * 150}\n", id="parentheses"),
        pytest.param(HEAD + f"    return x{'.relu()' * 80}\n", id="methods-in-a-row"),
        pytest.param(chain(5_000, "    x = torch.relu(x) + 1\n"), id="5000-statements"),
        pytest.param(chain(1_000, "    x{m} = x + {n}\n"), id="1000-names"),
        pytest.param(chain(12, "    n = n * n + 1\n", "    n = c.b + x.shape[0]\n"), id="powers"),
        pytest.param(
            chain(25, "    n = (n + m) // 2 + n * m\n", "    n, m = x.shape\n"), id="quotients"
        ),
        pytest.param(chain(9, "    n = n ** 60\n", "    n = 10\n"), id="large-numbers"),
        pytest.param(
            NAMES + "".join(CUT.format(n=n, m=n + 1) for n in range(40)) + "    return x\n",
            id="slices-of-slices",
        ),
        pytest.param(
            NAMES + "".join(JOINED.format(n=n, m=n + 1) for n in range(40)) + "    return x\n",
            id="joined-to-their-slices",
        ),
        pytest.param(
            f'def f(x: Float[Tensor, "{" ".join([SUM] * 12)}"]):\n    return x.flatten()\n',
            id="products-of-sums",
        ),
        pytest.param(chain(60, "    x = torch.kron(x, x)\n"), id="squares-of-squares"),
        pytest.param(chain(40, "    a = (a, a)\n", "    a = x\n"), id="tuples-in-tuples"),
        pytest.param(
            chain(20, "    a = (" + "a, " * 60 + ")\n", "    a = x\n"), id="wide-tuples-in-tuples"
        ),
        pytest.param(
            chain(40, "    a = [a] if c[{n}] else {{c[{n}]: a}}\n", "    a = x\n"),
            id="lists-or-dicts-of-lists-or-dicts",
        ),
        pytest.param(BUILT, id="recursion-into-lists-and-dicts"),
        pytest.param(chain(40, "    a = a + a\n", "    a = (x,)\n"), id="tuples-that-double"),
        pytest.param(chain(40, "    a = a + a\n", "    a = 'text'\n"), id="texts-that-double"),
        pytest.param(
            HEAD + "    return (x,) * 10**12, 'a' * 10**12, [x] * 10**12\n", id="products"
        ),
        pytest.param(f"data = {[*range(100_000)]}\n", id="100000-numbers"),
        pytest.param(f"data = {dict.fromkeys(range(30_000), 1)}\n", id="30000-keys"),
        pytest.param("".join(FAN.format(n=n, m=n + 1) for n in range(60)), id="calls-that-fan-out"),
        pytest.param(
            "".join(PAIR.format(n=n, m=n + 1) for n in range(40)), id="objects-in-objects"
        ),
        pytest.param("".join(TREES.format(n=n) for n in range(60)), id="recursion-in-two"),
        pytest.param(
            "def f(x, n):\n    return g(x + 1, n - 1) if n else x\n"
            "def g(x, n):\n    return f(x.T, n - 1) if n else f(x, 1)\n",
            id="recursion",
        ),
        pytest.param(
            "Tree = Tensor | list['Tree'] | tuple['Tree', 'Tree'] | dict[str, 'Tree']\n"
            "def f(x: Tree, y: dict[str, Tree]) -> Tree:\n    return x\n",
            id="alias-of-itself",
        ),
        pytest.param(
            "A0 = Float[Tensor, 'b']\n"
            + "".join(f"A{n + 1} = tuple[{', '.join([f'A{n}'] * 30)}]\n" for n in range(12))
            + "def f(x: A9) -> A12:\n    return x, x\n",
            id="aliases-of-aliases",
        ),
        pytest.param(
            "class A(B): pass\nclass B(A): pass\ndef f(a: A): return a.b\n", id="own-base"
        ),
    ],
)
def test_code_that_grows_without_end_is_gone_through_soon(source: str) -> None:
    found, _ = check(source)
    assert [finding.code for finding in found] == [codes.SHAPE]


def test_a_file_of_10000_lines_is_gone_through_soon() -> None:
    line = 'def f{n}(x: Float[Tensor, "b d"]) -> Float[Tensor, "b d"]:\n    y = x + {n}\n'
    rest = "    if y.sum() > 0:\n        y = y.relu()\n    return y\n"
    found, given_up = check("".join((line + rest).format(n=n) for n in range(2_000)))
    assert len(found) == 1
    assert not given_up


def test_of_code_that_takes_too_many_steps_nothing_is_told_but_that() -> None:
    loops = nested("for i{n} in (1, 2, 3, 4):", 16, "x = x.T")
    found, given_up = check(loops)
    assert given_up == {"f": "too many steps"}
    assert len(found) == 1


def test_code_that_is_nested_too_deeply_is_given_up_by_itself() -> None:
    tests = "".join(f"    elif c == {n}:\n        y = x + {n}\n" for n in range(900))
    source = "def deep(x, c):\n    if c:\n        pass\n" + tests
    found, given_up = check(source)
    assert len(found) == 1
    assert set(given_up.values()) <= {"nested too deeply"}
