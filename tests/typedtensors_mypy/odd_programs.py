# SPDX-License-Identifier: Apache-2.0
"""Programs that are hard on a checker; `# E: [code]` announces what is told of a line."""

from __future__ import annotations

_HEAD = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor, nn\n\n\n"
_X = 'x: Float[Tensor, "b"]'

NOTEBOOK = """\
#!/usr/bin/env python
# coding: utf-8

# # A title

# In[1]:


get_ipython().run_line_magic('matplotlib', 'inline')
import torch
from jaxtyping import Float
from torch import Tensor


# In[2]:


def loss(pred: Float[Tensor, "n 1"], y: Float[Tensor, "n"]):
    return pred - y  # E: [tensor-broadcast]


loss(torch.zeros(3, 1), torch.zeros(3))


# In[3]:


x = torch.zeros(4)
get_ipython().system('ls')
x


# In[4]:


def loss(pred: Float[Tensor, "n"], y: Float[Tensor, "n"]):
    return pred - y


x = torch.zeros(5)
display(x + torch.zeros(4))  # E: [tensor-shape]
"""
RECURSION = (
    _HEAD
    + f"""\
def itself({_X}) -> Float[Tensor, "b"]:
    return itself(itself(x))


def ping(x, n=3):
    return pong(x, n - 1)


def pong(x, n):
    return ping(x, n) if n else x


class Node(nn.Module):
    def __init__(self, children: "list[Node]") -> None:
        super().__init__()
        self.nodes = children

    def forward(self, {_X}):
        for node in self.nodes:
            x = node(x)
        return x


class One(Two): ...


class Two(One): ...


Alias = Other
Other = Alias


def last({_X}, y: Float[Tensor, "c"], one: One, alias: Alias):
    one.two.one
    return ping(x) + itself(y) + (x - y)  # E: [tensor-shape]
"""
)
CYCLE = (
    _HEAD
    + """\
from {other} import Net as Other
import {other}


class Net(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, {out})

    def forward(self, x: Float[Tensor, "b width"]) -> Float[Tensor, "b {out}"]:
        return self.layer(x)


def use(x: Float[Tensor, "b 4"]):
    return {other}.Net(4)(x) - torch.zeros(7, {wrong})  # E: [tensor-shape]
"""
)
INNER = (
    _HEAD
    + f"""\
def halve({_X}) -> Float[Tensor, "b//2"]:
    return x[: x.shape[0] // 2]
"""
)
OUTER = """\
import torch
from spaces.inner.blocks import halve

halve(torch.zeros(8)) - torch.zeros(5)  # E: [tensor-shape]
"""
STUBBED = "def give():\n    import torch\n    return torch.zeros(3)\n"
STUB = "from torch import Tensor\n\ndef give() -> Tensor: ...\n"
STUB_USER = "import torch\nfrom stubbed import give\n\ngive() - torch.zeros(4)\n"
SYNTAX = (
    _HEAD
    + f"""\
from __future__ import annotations
from collections.abc import Callable, Iterator
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from typing_extensions import TypeVarTuple, Unpack

T = TypeVar("T", bound=Tensor)
P = ParamSpec("P")
Ts = TypeVarTuple("Ts")


class Layer(Protocol):
    def __call__(self, x: Tensor, /, *rest: Any, key: int = ..., **named: Any) -> Tensor: ...


class Box(Generic[T, Unpack[Ts]]):
    item: T

    @overload
    def get(self) -> T: ...
    @overload
    def get(self, n: int) -> list[T]: ...
    def get(self, n=0):
        return self.item

    @property
    def width(self) -> int:
        return 3

    @width.setter
    def width(self, value: int) -> None:
        global counter
        counter = value


counter = 0


def decorate(f: Callable[P, T]) -> Callable[P, T]:
    def inner(*args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal_ = f(*args, **kwargs)
        return nonlocal_

    return inner


@decorate
def decorated({_X}) -> Tensor:
    return x


async def later({_X}) -> Iterator[Tensor]:
    async with a as b, c as d:
        pass
    async for item in stream:
        yield item
    [y async for y in stream if await y]


def spread(first, /, *args: Unpack[Ts], key: int = (n := 3), **kwargs):
    match first:
        case Tensor(shape=[a, *rest]) if a:
            del rest
        case {{"x": [1, 2, *_], **others}} | (1 | 2 as others):
            raise ValueError from None
        case _:
            assert others, f"{{others!r:>{{key}}}}"
    head, *middle, tail = *args, first
    return lambda *a, b=tail, **k: (yield b)


def last({_X}, y: Float[Tensor, "c"], box: Box[Tensor, int, str], layer: Layer):
    while (n := x.sum(0)) or n:
        try:
            box.width += 1
        except* ValueError if n else TypeError:
            continue
        finally:
            x[0:1, ..., None] = layer(y, *[1], key=2, **{{}})
    return x - y  # E: [tensor-shape]
""".replace("except* ValueError if n else TypeError", "except (ValueError, TypeError)")
)
_LOOPS = "".join(f"    {' ' * depth}for i{depth} in range(9):\n" for depth in range(18))
_CHOICES = "".join(f"    elif n == {number}:\n        x = x + {number}\n" for number in range(300))
_LONG = "".join(f"    x = x + {number}\n" for number in range(1_000))
_DEEP = "".join(f"    {' ' * depth}if x.sum(0):\n" for depth in range(60))
DEEP = (
    _HEAD
    + f"""\
def terms({_X}, y: Float[Tensor, "c"]):
    return {" + ".join(["x"] * 700)} + y  # E: [tensor-shape]


def calls({_X}):
    return x{".abs()" * 400}


def nested({_X}):
{_DEEP}    {" " * 60}x = x + 1
    return x


def choices({_X}, n: int):
    if n == 0:
        x = x + 1
{_CHOICES}    return x


def loops({_X}):
{_LOOPS}    {" " * 18}x = torch.cat([x, x])
    return x


def long({_X}, y: Float[Tensor, "c"]):
{_LONG}    return x - y  # E: [tensor-shape]
"""
)
PROGRAMS = {
    "notebook.py": NOTEBOOK,
    "recursion.py": RECURSION,
    "one.py": CYCLE.format(other="two", out=2, wrong=5),
    "two.py": CYCLE.format(other="one", out=3, wrong=5),
    "spaces/inner/blocks.py": INNER,
    "outer.py": OUTER,
    "stubbed.py": STUBBED,
    "stubbed.pyi": STUB,
    "stub_user.py": STUB_USER,
    "syntax.py": SYNTAX,
    "deep.py": DEEP,
    "crlf.py": (_HEAD + f"def f({_X}):\n    return x - x[1:]  # E: [tensor-shape]\n").replace(
        "\n", "\r\n"
    ),
    "empty.py": "",
    "words.py": '"""Words."""\n',
}
