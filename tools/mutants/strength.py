# SPDX-License-Identifier: Apache-2.0
"""Which mistakes are certainly wrong: for all sizes that the annotations allow, names being apart.

What is not decidable from the text is not counted, so that what is missed could have been found:

* another way to read a parameter or a result is left, as in a union of shapes;
* nothing reads what was changed: no annotated result is made of it, no body uses the parameter for
  more than a size, no other annotation has its names, a function type says how something else is
  called, nothing but None is returned;
* the names of the result are its own: any sizes, in any order, are what it says;
* it may be right: an axis in front that broadcasting adds anyway, an axis reduced for another one
  that is kept as 1, the sizes of a layer that no annotation of its class names;
* an axis is dropped beside `...`, which then stands for one more that may be any;
* nobody comes there: the annotations say how a test before comes out, or a `raise` stands before
  (`measure` sees that);
* it is right or wrong by which of two sizes is the smaller, as `min(n, m)` is n or m (so does it).
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from tools.mutants.annotations import Annotated
from tools.mutants.edits import Edit
from typedtensors_mypy.source.annotations.types import ScalarType, TupleType, UnionType, specs_of
from typedtensors_mypy.source.modules import AnyFunction

_WORD = re.compile(r"[A-Za-z_]\w*")
# What is asked of an array without a look at its axes.
_ASIDE = frozenset({"device", "dtype", "ndim", "requires_grad", "shape", "size"})


def is_strong(
    function: AnyFunction, kinds: Annotated, edit: Edit, *, named: frozenset[str]
) -> bool:
    """Whether what is written elsewhere certainly disagrees with an edit.

    `named` are the names in all the specs of the function's class.
    """
    if _is_abstract(function) or not _gives_something(function):
        return False
    if "spec" in edit.kind:
        return _contradicts(function, kinds, edit)
    if edit.kind.startswith("sizes of a layer"):
        return not named.isdisjoint(_WORD.findall(edit.text))
    if edit.kind.startswith("arguments"):
        return True
    if edit.text.endswith("[:]") or _may_be_alike(edit):
        return False
    return _is_held_against_something(kinds, edit) and _makes(function, edit.node)


def _is_held_against_something(kinds: Annotated, edit: Edit) -> bool:
    """Whether the annotation of the result says what an edit changes: the rank, or the order."""
    if "return" not in kinds or _has_other_ways(kinds["return"]):
        return False
    specs = [*specs_of(kinds["return"])]
    if edit.changes_rank and any(spec.variadic is None for spec in specs):
        return True
    counted = Counter(name for spec in specs for name in (*spec.names, *spec.variadic_names))
    known = {name for name, count in counted.items() if count > 1}
    for name, kind in kinds.items():
        if name != "return":
            known |= {each for spec in specs_of(kind) for each in spec.names | spec.variadic_names}
    return len(counted) > 1 and not known.isdisjoint(counted)


def _contradicts(function: AnyFunction, kinds: Annotated, edit: Edit) -> bool:
    """Whether other annotations of the function have the names of a spec that was changed."""
    args = [*function.args.args, *function.args.kwonlyargs]
    changed = next((arg for arg in args if _holds(arg.annotation, edit.node)), None)
    name = "return" if changed is None else changed.arg
    written = function.returns if changed is None else changed.annotation
    if "dropped" in edit.kind and "..." in edit.text:
        return False
    if name == "self" or _has_other_ways(kinds.get(name)) or _is_of_a_callable(written, edit.node):
        return False
    others = (kind for other, kind in kinds.items() if other != name)
    known = {each for kind in others for spec in specs_of(kind) for each in spec.names}
    used = name == "return" or _is_used(function, name)
    words = _WORD.findall(edit.text)
    return used and not known.isdisjoint(words[:2] if "swapped" in edit.kind else words)


def _holds(written: ast.expr | None, node: ast.expr) -> bool:
    return written is not None and any(part is node for part in ast.walk(written))


def _has_other_ways(kind: object) -> bool:
    """Whether an annotation allows for something else than one array and None anywhere."""
    if isinstance(kind, TupleType):
        return any(map(_has_other_ways, kind.items))
    if not isinstance(kind, UnionType):
        return False
    return sum(item != ScalarType("None") for item in kind.items) > 1


def _is_of_a_callable(written: ast.expr | None, node: ast.expr) -> bool:
    """Whether a spec stands in what a function is annotated to be called with."""
    inside = ast.walk(written) if written is not None else ()
    return any(
        isinstance(part, ast.Subscript)
        and ast.unparse(part.value).endswith("Callable")
        and _holds(part, node)
        for part in inside
    )


def _is_used(function: AnyFunction, name: str) -> bool:
    """Whether the body uses an array for more than its size, or some of its numbers."""
    every = [part for statement in function.body for part in ast.walk(statement)]
    aside = {id(inner) for part in every for inner in _asked(part)}
    return any(
        isinstance(part, ast.Name) and part.id == name and id(part) not in aside for part in every
    )


def _asked(part: ast.AST) -> Iterator[ast.expr]:
    """What is only asked for its size, or for an element."""
    if isinstance(part, ast.Attribute) and part.attr in _ASIDE:
        yield part.value
    elif isinstance(part, ast.Call) and getattr(part.func, "id", "") in {"isinstance", "len"}:
        yield from part.args[:1]
    elif isinstance(part, ast.Compare) and isinstance(part.ops[0], (ast.Is, ast.IsNot)):
        yield part.left
    elif isinstance(part, ast.Call) and getattr(part.func, "id", "") in {"float", "int"}:
        yield from (inner for inner in ast.walk(part) if isinstance(inner, ast.Name))


def _may_be_alike(edit: Edit) -> bool:
    """Whether an edit may leave what the result is made of as it was."""
    node = edit.node
    given = node.args if isinstance(node, ast.Call) else []
    if edit.kind == "squeeze dropped":
        return not given
    if edit.kind == "reduced along another axis" and edit.keeps_rank:
        return True
    if edit.kind == "new axis dropped" and isinstance(node, ast.Subscript):
        given = node.slice.elts[:1] if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(isinstance(each, ast.Constant) and each.value is None for each in given)
    in_front = any(isinstance(each, ast.Constant) and each.value == 0 for each in given)
    return edit.kind == "unsqueeze dropped" and in_front


def _is_abstract(function: AnyFunction) -> bool:
    last = function.body[-1]
    return isinstance(last, (ast.Pass, ast.Raise)) or (
        isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)
    )


def _gives_something(function: AnyFunction) -> bool:
    """Whether a function that is annotated to return something does so anywhere."""
    if function.returns is None or ast.unparse(function.returns) == "None":
        return True
    parts = (part for statement in function.body for part in ast.walk(statement))
    given = (part.value for part in parts if isinstance(part, (ast.Return, ast.Yield)))
    return any(not isinstance(value, (ast.Constant, type(None))) for value in given)


def _makes(function: AnyFunction, node: ast.expr) -> bool:
    """Whether what a function returns is made of a node, by way of its variables."""
    kinds = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.Return, ast.Yield)
    every = [part for statement in function.body for part in ast.walk(statement)]
    parts = [part for part in every if isinstance(part, kinds)]
    made: set[str] = set()
    before = -1
    while before < len(made):
        before = len(made)
        for part in parts:
            source = part.iter if isinstance(part, ast.For) else part.value
            if source is None or not _mentions(source, node, made):
                continue
            if isinstance(part, (ast.Return, ast.Yield)):
                return True
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            made |= {name for target in targets for name in _held_by(target)}
    return False


def _held_by(target: ast.expr) -> Iterator[str]:
    """The variables and attributes that an assignment changes: not `self` for `self.x = x`."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _held_by(part)
    elif isinstance(target, (ast.Starred, ast.Subscript)):
        yield from _held_by(target.value)
    else:
        yield ast.unparse(target)


def _mentions(source: ast.expr, node: ast.expr, made: set[str]) -> bool:
    """Whether an expression holds a node, or a variable that is made of it, as an array."""
    parts = list(ast.walk(source))
    aside = {id(inner) for part in parts for inner in _asked(part)}
    return any(
        part is node
        or (
            isinstance(part, (ast.Attribute, ast.Name))
            and id(part) not in aside
            and ast.unparse(part) in made
        )
        for part in parts
    )
