# SPDX-License-Identifier: Apache-2.0
"""A package's own short form of annotations: `Float["b d"]` for `Float[Tensor, "b d"]`.

Such a `Float` is a class with `__class_getitem__`, or an object of a class with `__getitem__`,
that returns jaxtyping's form of what is in its brackets.
"""

from __future__ import annotations

import ast

from typedtensors.dims.quick import dataclass
from typedtensors_mypy.source import library
from typedtensors_mypy.source.modules import AnyFunction, Assigned, FunctionNode, Imported
from typedtensors_mypy.source.program import Definition, External, Target, resolve
from typedtensors_mypy.source.scope import Scope


@dataclass(frozen=True)
class Abbreviation:
    """What `Float` is, if `Float["b d"]` is `dtype[array, "b d"]`; `array` is seen in `scope`."""

    dtype: str
    array: ast.expr
    scope: Scope


def abbreviation(scope: Scope, target: Target | None) -> Abbreviation | None:
    """The annotation that a name of the user's abbreviates, if it does."""
    if not isinstance(target, Definition):
        return None
    node, inside = target.node, Scope(scope.program, target.module)
    if isinstance(node, ast.ClassDef):
        form = _form(node, "__class_getitem__")
        return None if form is None else _abbreviated(form, inside.target(form.value), inside)
    if not isinstance(node, Assigned) or not isinstance(node.value, ast.Call):
        return None
    made = inside.target(node.value.func)
    if not isinstance(made, Definition) or not isinstance(made.node, ast.ClassDef):
        return None
    form, own = _form(made.node, "__getitem__"), Scope(scope.program, made.module)
    if form is None:
        return None
    given = _given(made.node, form.value, node.value)
    dtype = own.target(form.value) if given is None else _dtype(inside, node, given)
    return _abbreviated(form, dtype, own)


def _abbreviated(form: ast.Subscript, dtype: Target | None, scope: Scope) -> Abbreviation | None:
    if not isinstance(dtype, External) or not isinstance(form.slice, ast.Tuple):
        return None
    name = library.jaxtyping_dtype(dtype.name)
    return None if name is None else Abbreviation(name, form.slice.elts[0], scope)


def _form(cls: ast.ClassDef, method: str) -> ast.Subscript | None:
    """`dtype[Tensor, shape]`, where that is all a method does with its argument `shape`."""
    for node in cls.body:
        if isinstance(node, FunctionNode) and node.name == method and len(node.args.args) == 2:
            last = node.body[-1]
            written = last.value if isinstance(last, ast.Return) and _does_nothing(node) else None
            if isinstance(written, ast.Subscript) and isinstance(written.slice, ast.Tuple):
                shape = node.args.args[1].arg
                parts = written.slice.elts
                passed = isinstance(parts[-1], ast.Name) and parts[-1].id == shape
                return written if passed and len(parts) == 2 else None
    return None


def _does_nothing(node: AnyFunction) -> bool:
    """Whether nothing but a docstring comes before the last statement."""
    return all(isinstance(each, ast.Expr) for each in node.body[:-1])


def _given(cls: ast.ClassDef, attribute: ast.expr, made: ast.Call) -> ast.expr | None:
    """What an object gets, where it is made, for an attribute that its constructor sets."""
    if not isinstance(attribute, ast.Attribute):
        return None
    for node in cls.body:
        if isinstance(node, FunctionNode) and node.name == "__init__":
            names = [arg.arg for arg in node.args.args[1:]]
            given = dict(zip(names, made.args, strict=False))
            given |= {each.arg: each.value for each in made.keywords if each.arg}
            for each in node.body:
                if isinstance(each, ast.Assign) and isinstance(each.value, ast.Name):
                    written = [getattr(part, "attr", None) for part in each.targets]
                    if attribute.attr in written:
                        return given.get(each.value.id)
    return None


def _dtype(scope: Scope, made: Assigned, given: ast.expr) -> Target | None:
    """What is given for the dtype: in `Float = Short(Float)`, what the name was imported as."""
    if isinstance(made.before, Imported) and isinstance(given, ast.Name):
        return resolve(scope.program, made.before.target)
    return scope.target(given)
