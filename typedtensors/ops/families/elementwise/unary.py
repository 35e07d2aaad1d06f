# SPDX-License-Identifier: Apache-2.0
"""Functions of one array, elementwise: the shape stays."""

from __future__ import annotations

from typedtensors.ops.names import methods, numpy_names, torch_names
from typedtensors.ops.registry import rule
from typedtensors.ops.rule import Array, example
from typedtensors.ops.steps.elementwise import alike

_FLOATS = (example(Array("b n")), example(Array("*a n", "Float64")))
_NUMBERS = (*_FLOATS, example(Array("b n", "Int64")))
_MASKS = (example(Array("b n", "Bool")), example(Array("*a n", "Int64")))

# Functions that torch has as function, method and in-place method, and NumPy under the same name.
_SHARED = {
    "floating": (
        *("acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh"),
        *("asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "log"),
        *("log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "deg2rad", "rad2deg"),
    ),
    "same": ("ceil", "floor", "trunc", "fix", "negative", "sign"),
    "number": ("square",),
    "bool": ("logical_not",),
}
# What torch has in place as a method, and not as a function.
_METHODS = frozenset({"digamma", "erfinv", "lgamma", "logical_not", "sgn", "sign"})


def _spellings(name: str) -> tuple[str, ...]:
    """The names of a function of torch, those in place among them."""
    found = torch_names(name, in_place=True)
    return found if name in _METHODS else (*found, f"torch.{name}_")


for _dtype, _names in _SHARED.items():
    for _name in _names:
        rule(
            *_spellings(_name),
            *numpy_names(_name),
            params="input, *, out=None",
            examples=_NUMBERS,
        )(alike(_dtype))

_TORCH = {
    "floating": (
        *("reciprocal", "rsqrt", "sigmoid", "sinc", "digamma", "erf", "erfc", "erfinv", "i0"),
        "lgamma",
    ),
    "same": ("neg", "sgn", "frac", "conj_physical"),
}
for _dtype, _names in _TORCH.items():
    for _name in _names:
        rule(
            *_spellings(_name),
            params="input, *, out=None",
            examples=_FLOATS,
        )(alike(_dtype))

rule(
    *numpy_names("rint", "cbrt", "fabs", "degrees", "radians"),
    params="input, *, out=None",
    examples=_FLOATS,
)(alike("floating"))

for _name in ("isnan", "isinf", "isfinite", "isneginf", "isposinf", "isreal", "signbit"):
    rule(
        *torch_names(_name),
        *numpy_names(_name),
        params="input, *, out=None",
        examples=_NUMBERS,
    )(alike("bool"))

rule(
    *_spellings("abs"),
    *torch_names("absolute", in_place=True),
    *methods("__abs__"),
    *numpy_names("abs", "absolute"),
    "numpy.ndarray.__abs__",
    params="input, *, out=None",
    examples=_NUMBERS,
)(alike("real"))

rule(
    *methods("__neg__", "__pos__"),
    *torch_names("positive"),
    *numpy_names("positive"),
    "numpy.ndarray.__neg__",
    "numpy.ndarray.__pos__",
    params="input",
    examples=_NUMBERS,
)(alike("same"))

rule(
    *torch_names("bitwise_not", in_place=True),
    *methods("__invert__"),
    *numpy_names("bitwise_not", "invert"),
    "numpy.ndarray.__invert__",
    params="input, *, out=None",
    examples=_MASKS,
)(alike("same"))

rule(
    *_spellings("round"),
    params="input, *, decimals=0, out=None",
    examples=(*_NUMBERS, example(Array("b n"), decimals=2)),
)(alike("same"))

rule(
    *numpy_names("round", "around"),
    "numpy.ndarray.round",
    params="input, decimals=0, out=None",
    examples=(*_NUMBERS, example(Array("b n"), decimals=2)),
)(alike("number"))

rule(
    *_spellings("nan_to_num"),
    params="input, nan=None, posinf=None, neginf=None, *, out=None",
    examples=(*_NUMBERS, example(Array("b n"), 0.0)),
)(alike("same"))

rule(
    *numpy_names("nan_to_num"),
    params="input, copy=True, nan=0.0, posinf=None, neginf=None",
    examples=(*_NUMBERS, example(Array("b n"), nan=0.0)),
)(alike("same"))

rule(
    *_spellings("logit"),
    "torch.special.logit",
    params="input, eps=None, *, out=None",
    examples=(*_FLOATS, example(Array("b n"), 0.5)),
)(alike("floating"))

rule(
    *torch_names("conj", "resolve_conj", "resolve_neg"),
    *numpy_names("conj", "conjugate"),
    params="input, *, out=None",
    examples=_FLOATS,
)(alike("number"))

# Functions of `torch.special` under the name of the torch function.
rule(
    *("torch.special.expit", "torch.special.erf", "torch.special.erfc", "torch.special.erfinv"),
    *("torch.special.exp2", "torch.special.expm1", "torch.special.log1p", "torch.special.i0"),
    *("torch.special.digamma", "torch.special.psi", "torch.special.gammaln"),
    *("torch.special.sinc", "torch.special.ndtr", "torch.special.ndtri", "torch.special.entr"),
    *("torch.special.log_ndtr", "torch.special.i0e", "torch.special.i1", "torch.special.i1e"),
    params="input, *, out=None",
    examples=_FLOATS,
)(alike("floating"))
