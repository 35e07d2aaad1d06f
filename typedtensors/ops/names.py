# SPDX-License-Identifier: Apache-2.0
"""The spellings of one op: function, method, in-place method, operator."""

from __future__ import annotations

import re
from functools import cache


def torch_names(*names: str, operator: str = "", in_place: bool = False) -> tuple[str, ...]:
    """Function and method of each name; with `in_place` also `name_`, with `operator` `+`'s three.

    >>> torch_names("mm")
    ('torch.mm', 'torch.Tensor.mm')
    >>> torch_names("add", operator="add")[2:]
    ('torch.Tensor.__add__', 'torch.Tensor.__radd__', 'torch.Tensor.__iadd__')
    """
    found = [f"{owner}.{name}" for name in names for owner in ("torch", "torch.Tensor")]
    found += [f"torch.Tensor.{name}_" for name in names if in_place]
    found += operators("torch.Tensor", operator) if operator else []
    return tuple(found)


def operators(owner: str, name: str) -> list[str]:
    """The methods behind an arithmetic operator: plain, reflected and in place."""
    return [f"{owner}.__{prefix}{name}__" for prefix in ("", "r", "i")]


def methods(*names: str) -> tuple[str, ...]:
    """Methods of `torch.Tensor`."""
    return tuple(f"torch.Tensor.{name}" for name in names)


def numpy_names(*names: str, operator: str = "") -> tuple[str, ...]:
    """Functions of NumPy; with `operator` the array's three methods too."""
    found = [f"numpy.{name}" for name in names]
    return (*found, *(operators("numpy.ndarray", operator) if operator else []))


def tensorflow_names(*names: str, operator: str = "") -> tuple[str, ...]:
    """Functions of TensorFlow; with `operator` the tensor's methods too, none of them in place.

    >>> tensorflow_names("math.add", operator="add")[1:]
    ('tensorflow.Tensor.__add__', 'tensorflow.Tensor.__radd__')
    """
    found = [f"tensorflow.{name}" for name in names]
    return (*found, *(operators("tensorflow.Tensor", operator)[:2] if operator else []))


def math_names(*names: str, operator: str = "") -> tuple[str, ...]:
    """Functions that TensorFlow has at its top and in `tensorflow.math`.

    >>> math_names("abs")
    ('tensorflow.abs', 'tensorflow.math.abs')
    """
    both = (f"{home}{name}" for name in names for home in ("", "math."))
    return tensorflow_names(*both, operator=operator)


_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "matmul": "@",
}


# The methods of a layer or metric that people know by the name of its class.
_CALLED = re.compile(r"\.(?:forward|__call__|update_state)$")


def short(op: str) -> str:
    """An op as people write it: `+` for `torch.Tensor.__radd__`, `Linear` for its forward."""
    name = _CALLED.sub("", op).rpartition(".")[2]
    if not name.startswith("__"):
        return name
    inner = name.strip("_")
    return next((_SIGNS[each] for each in (inner, inner[1:]) if each in _SIGNS), inner)


@cache
def in_place(op: str) -> bool:
    """Whether the op writes its first operand: `add_`, `__iadd__`."""
    name = op.rpartition(".")[2]
    if name.startswith("__"):
        inner = name.strip("_")
        return inner not in _SIGNS and inner[0] == "i" and inner[1:] in _SIGNS
    return name.endswith("_")
