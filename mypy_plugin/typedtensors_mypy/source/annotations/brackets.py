# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the brackets of `Float[Tensor, "b d"]`, apart from the spec itself.

All of it fails in jaxtyping too, as soon as the annotation is evaluated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from typedtensors.diagnostics import Diagnostic, wording
from typedtensors.shapes import DType, Spec
from typedtensors.shapes.dtype import Number
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.texts import constant_of, text_of
from typedtensors_mypy.source.program import External
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.syntax.walks import dotted

_NUMBERS = frozenset({"bool", "int", "float"})
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def wrong_brackets(
    node: ast.Subscript, arguments: Sequence[ast.expr], scope: Scope
) -> Diagnostic | None:
    """What keeps the brackets from holding an array type and a spec; None if nothing does."""
    dtype = dotted(node.value) or ast.unparse(node.value)
    if len(arguments) != 2:
        return _miscounted(node, dtype, arguments, scope)
    array, spec = arguments
    if text_of(array, scope) is not None:
        return _text_first(node, dtype, array, spec, scope)
    return _no_array(node, dtype, array, spec, scope) or _no_text(node, dtype, array, spec, scope)


def scalar_problem(node: ast.expr, dtype: str, scalar: str, spec: Spec) -> Diagnostic | None:
    """What is wrong with `Float[int, "b"]`: a number of Python's has a kind, and no axes."""
    numbers = DType.named(dtype).numbers
    if scalar not in _NUMBERS:
        return None
    if numbers is not None and Number(scalar) not in numbers:
        problem = f"`{scalar}` is not `{dtype}`"
    elif spec.least_rank:
        problem = f"`{scalar}` has no axes"
    else:
        return None
    return wording.bad_annotation(ast.unparse(node), problem)


def disjoint(
    node: ast.expr, dtypes: tuple[str, str], array: ast.expr, spec: Spec
) -> Diagnostic | None:
    """What is wrong with `Int[Float[Tensor, "d"], "b"]`: no array is both."""
    outer, inner = dtypes
    if DType.named(outer).intersection(DType.named(inner)).names != frozenset():
        return None
    problem = f"no array is both `{outer}` and `{inner}`"
    hint = _written(inner, ast.unparse(array), spec.text)
    return wording.bad_annotation(ast.unparse(node), problem, hint=hint)


def called(node: ast.Call, scope: Scope) -> Diagnostic | None:
    """What is wrong with `Float(Tensor, "b d")`."""
    target = scope.target(node.func)
    if not isinstance(target, External) or library.jaxtyping_dtype(target.name) is None:
        return None
    given = ", ".join(_quoted(argument) for argument in node.args)
    hint = f"{ast.unparse(node.func)}[{given}]"
    return wording.bad_annotation(ast.unparse(node), "an annotation is no call", hint=hint)


def _quoted(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return f'"{node.value}"'
    return ast.unparse(node)


def _miscounted(
    node: ast.expr, dtype: str, arguments: Sequence[ast.expr], scope: Scope
) -> Diagnostic:
    """`Float["b d"]`, `Float[Tensor]`, `Float[Tensor, "b", "d"]`."""
    words = [_meant(argument, scope) for argument in arguments]
    arrays = [arg for arg, word in zip(arguments, words, strict=True) if word is None]
    spec = " ".join(word for word in words if word is not None) or "..."
    names = [ast.unparse(array) for array in arrays] or ["Tensor"]
    hint = _written(dtype, names[0], spec) if len(names) == 1 else None
    problem = "the brackets hold an array type and a spec"
    return wording.bad_annotation(ast.unparse(node), problem, hint=hint)


def _text_first(
    node: ast.expr, dtype: str, array: ast.expr, spec: ast.expr, scope: Scope
) -> Diagnostic | None:
    """`Float["b d", Tensor]`, `Float["Tensor", "b d"]`."""
    first, second = text_of(array, scope) or "", text_of(spec, scope)
    if second is None:
        problem, hint = "the array type comes before the spec", (ast.unparse(spec), first)
    else:
        name = first if _DOTTED.fullmatch(first) else "Tensor"
        problem, hint = "the array type is no text", (name, second)
    return wording.bad_annotation(ast.unparse(node), problem, hint=_written(dtype, *hint))


def _no_array(
    node: ast.expr, dtype: str, array: ast.expr, spec: ast.expr, scope: Scope
) -> Diagnostic | None:
    """`Float[None, "b"]`, `Float[torch.float32, "b"]`."""
    target = scope.target(array)
    # NumPy's dtypes are classes, of which there are objects.
    named = target.name if isinstance(target, External) else "numpy"
    is_dtype = library.dtype_named(named) is not None and not named.startswith("numpy.")
    if not is_dtype and constant_of(array, scope) is None:
        return None
    problem = f"`{ast.unparse(array)}` is no array type"
    text = text_of(spec, scope)
    hint = None if text is None else _written(dtype, "Tensor", text)
    return wording.bad_annotation(ast.unparse(node), problem, hint=hint)


def _no_text(
    node: ast.expr, dtype: str, array: ast.expr, spec: ast.expr, scope: Scope
) -> Diagnostic | None:
    """`Float[Tensor, 5]`, `Float[Tensor, ("b", "d")]`, `Float[Tensor, ...]`."""
    if not _is_no_text(spec, scope):
        return None
    meant = _meant(spec, scope)
    hint = None if meant is None else _written(dtype, ast.unparse(array), meant)
    problem = f"the spec is a text, not {ast.unparse(spec)}"
    return wording.bad_annotation(ast.unparse(node), problem, hint=hint)


def _is_no_text(spec: ast.expr, scope: Scope) -> bool:
    """Whether a spec is known to be something else than a text."""
    constant = constant_of(spec, scope)
    if constant is not None:
        return not isinstance(constant.value, str)
    if isinstance(spec, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Slice, ast.UnaryOp)):
        return True
    target = scope.target(spec)
    return isinstance(target, External) and (
        library.array_framework(target.name) is not None
        or library.scalar(target.name) is not None
        or library.jaxtyping_dtype(target.name) is not None
    )


def _meant(spec: ast.expr, scope: Scope) -> str | None:
    """The text that was probably meant."""
    if isinstance(spec, (ast.List, ast.Tuple)):
        words = [_meant(item, scope) for item in spec.elts]
        return " ".join(word for word in words if word is not None) if all(words) else None
    constant = constant_of(spec, scope)
    if constant is None:
        return None
    value = constant.value
    if value is None or value is ...:
        return "" if value is None else "..."
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None


def _written(dtype: str, array: str, spec: str) -> str:
    return f'{dtype}[{array}, "{spec}"]'
