# SPDX-License-Identifier: Apache-2.0
"""What other modules may read of a module: its source, without what no other module depends on.

A cached module has no syntax tree any more. So the summary is a text that mypy stores with the
module, and that changes only if something changes that a reader can see: then mypy checks the
readers again. Other modules are read in no other way, so a warm run sees what a cold one saw.
"""

from __future__ import annotations

import ast
import re
from copy import copy
from itertools import chain, islice
from typing import TYPE_CHECKING

from typedtensors_mypy.source import library
from typedtensors_mypy.source.modules import FunctionNode, Module
from typedtensors_mypy.source.syntax.changes import own_calls, receiver
from typedtensors_mypy.source.syntax.contents import contents
from typedtensors_mypy.source.syntax.walks import dotted, statements, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typedtensors_mypy.source.modules import AnyFunction
    from typedtensors_mypy.source.syntax.contents import Contents

_NAME = re.compile(r"[^\W\d]\w*")
# The body of a function longer than this is not worth interpreting at its callers.
_LONGEST_BODY = 40
# What the summary of a package begins with: relative imports in it start from the package itself.
_PACKAGE = "# package"
# What has nothing to tell a reader.
_UNSEEN = (ast.Expr, ast.Assert, ast.Delete, ast.Pass)
_ELLIPSIS = ast.Expr(ast.Constant(...))
# Constructors define the attributes that methods of other modules' subclasses read.
_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "setup", "build"})


def summarize(module: Module) -> tuple[str, Module]:
    """The text of a module's summary, and the module that it tells of.

    Both say the same, so that nobody need parse a text that was just written.
    """
    outline = _Outline(module)
    tree = ast.Module(outline.block(module.tree.body, of_class=False), [])
    text = "\n".join(outline.text)
    if text and module.is_package:
        text = f"{_PACKAGE}\n{text}"
    return text, Module.of(module.name, _path(module.name, text), tree, module.accepted)


def read_summary(name: str, text: str) -> Module | None:
    """The module that a summary tells of."""
    return Module.parse(name, _path(name, text), text)


def _path(name: str, text: str) -> str:
    return f"{name}/__init__.py" if text.startswith(_PACKAGE) else f"{name}.py"


class _Outline:
    """Goes through a module once, for what a reader may see of it: as a tree, and as a text.

    The text is the module's own lines, so it holds the comments that accept broadcasts.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._lines = module.source.split("\n")
        self._written = 0  # the last line that is in the text
        self.text: list[str] = []

    def block(self, body: list[ast.stmt], *, of_class: bool) -> list[ast.stmt]:
        """What is to be seen of statements; their lines are added to the text."""
        seen: list[ast.stmt] = []
        for statement, after in zip(body, [*body[1:], None], strict=False):
            alone = all(each is None or self._starts_line(each) for each in (statement, after))
            if alone and isinstance(statement, FunctionNode) and self._is_block(statement):
                seen.append(self._function(statement, is_method=of_class))
            elif alone and isinstance(statement, ast.ClassDef) and self._is_block(statement):
                seen.append(self._class(statement))
            elif not alone or not isinstance(statement, _UNSEEN):
                self._keep(_first_line(statement), statement.end_lineno)
                seen.append(statement)
        return seen

    def _class(self, node: ast.ClassDef) -> ast.ClassDef:
        outline = copy(node)
        self._keep_head(node)
        outline.body = self.block(node.body, of_class=True) or self._add([_ELLIPSIS], node)
        return outline

    def _function(self, node: AnyFunction, *, is_method: bool) -> AnyFunction:
        """The function with its body only if a reader has to interpret it."""
        outline = copy(node)
        self._keep_head(node)
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if body and _is_read(node, is_method=is_method):
            self._keep(_first_line(body[0]), node.end_lineno)
            outline.body = body
        else:
            written = _assignments(self._module.once(contents, node))
            outline.body = self._add([*_calls(node), *written, _ELLIPSIS], node)
        return outline

    def _is_block(self, node: AnyFunction | ast.ClassDef) -> bool:
        """Whether each statement of a body has lines of its own."""
        return all(map(self._starts_line, node.body))

    def _starts_line(self, statement: ast.stmt) -> bool:
        line = self._lines[statement.lineno - 1]
        return not line[: statement.col_offset].strip()

    def _keep_head(self, node: AnyFunction | ast.ClassDef) -> None:
        self._keep(_first_line(node), _first_line(node.body[0]) - 1)

    def _keep(self, first: int, last: int | None) -> None:
        """Add lines to the text; statements that share one bring it once."""
        last = last or first
        self.text += self._lines[max(first - 1, self._written) : last]
        self._written = last

    def _add(self, body: list[ast.stmt], node: AnyFunction | ast.ClassDef) -> list[ast.stmt]:
        """Write the body of a definition anew."""
        indent = self._lines[_first_line(node.body[0]) - 1]
        indent = indent[: len(indent) - len(indent.lstrip())]
        self.text += [indent + ast.unparse(statement) for statement in body]
        return body


def _first_line(node: ast.stmt) -> int:
    """The line of a statement, or of its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _calls(node: AnyFunction) -> Iterator[ast.stmt]:
    """The methods that a body calls on its own object: what they set is set again."""
    own = ast.Name(receiver(node) or "", ast.Load())
    for name in sorted({*own_calls(node)}):
        yield ast.Expr(ast.Attribute(own, name, ast.Load()))


def _assignments(inside: Contents) -> Iterator[ast.stmt]:
    """What a body assigns or changes: a reader may not rely on what it was first."""
    stored = {ast.unparse(each): each for each in (*inside.assigned, *inside.assigned_inside)}
    for target in stored.values():
        yield ast.Assign([target], ast.Constant(...), lineno=0)
    for name in sorted(inside.set_by_name):
        given: list[ast.expr] = [ast.Constant(each) for each in (..., name, ...)]
        yield ast.Expr(ast.Call(ast.Name("setattr", ast.Load()), given, []))
    for changed in inside.changed.values():
        owner = copy(changed)
        owner.ctx = ast.Load()
        item = ast.Subscript(owner, ast.Constant(...), ast.Store())
        yield ast.Assign([item], ast.Constant(...), lineno=0)


def _is_read(node: AnyFunction, *, is_method: bool) -> bool:
    if node.name in _CONSTRUCTORS:
        return True
    # What a method promises may hold for some of the sizes that objects are made with.
    if not is_method and _says_enough(node):
        return False
    return sum(1 for _ in islice(statements(node.body), _LONGEST_BODY)) < _LONGEST_BODY


def _says_enough(node: AnyFunction) -> bool:
    """Whether a function promises an array whose sizes all come from its parameters.

    One with a parameter that may be an array of any shape promises that of some calls only.
    """
    spec = _spec(node.returns)
    if spec is None:
        return False
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg]
    annotations = [arg.annotation for arg in every if arg is not None]
    if any(each is None or _leaves_shape_open(each) for each in annotations):
        return False
    words = (_words(each) for each in annotations if each is not None)
    return set(_NAME.findall(spec)).issubset(chain.from_iterable(words))


def _leaves_shape_open(annotation: ast.expr) -> bool:
    """Whether an annotation names an array without a spec: `Tensor`, `dict[str, Tensor]`."""
    if _spec(annotation) is not None:
        return False
    name = dotted(annotation)
    if name is not None:
        return library.is_array_name(name)
    inside = (each for each in ast.iter_child_nodes(annotation) if isinstance(each, ast.expr))
    return any(map(_leaves_shape_open, inside))


def _spec(annotation: ast.expr | None) -> str | None:
    """The spec of `Float[Tensor, "b d"]`, where the spelling alone shows that it is one."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return None
    if len(annotation.slice.elts) != 2:
        return None
    array, spec = annotation.slice.elts
    names = [dotted(node) or "" for node in (annotation.value, array)]
    if not isinstance(spec, ast.Constant) or not library.is_array_annotation(*names):
        return None
    return spec.value if isinstance(spec.value, str) else None


def _words(annotation: ast.expr) -> Iterator[str]:
    """The words of all texts in an annotation."""
    for part in walk(annotation):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from _NAME.findall(part.value)
