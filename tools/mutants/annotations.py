# SPDX-License-Identifier: Apache-2.0
"""The mistakes that people make in a function's annotations, and in the order of its arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.mutants.edits import Edit, swap
from typedtensors_mypy.source.annotations.specs import SpecReader
from typedtensors_mypy.source.annotations.types import AnnotationType, specs_of
from typedtensors_mypy.source.modules import AnyFunction, FunctionNode
from typedtensors_mypy.source.program import Definition
from typedtensors_mypy.source.scope import Scope

_NAMED = re.compile(r"(?<![\w*#?.])[a-zA-Z]\w*(?!\w)")
Annotated = dict[str, AnnotationType]


def annotated(function: AnyFunction, scope: Scope) -> Annotated:
    """The annotations with shapes of a function, by parameter; that of the result as `return`."""
    reader = SpecReader(scope.inside(function))
    args = function.args
    written = {arg.arg: arg.annotation for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    written["return"] = function.returns
    read = {name: reader.read(node) for name, node in written.items() if node is not None}
    return {name: kind for name, kind in read.items() if any(specs_of(kind))}


def spec_edits(function: AnyFunction) -> Iterator[Edit]:
    """Two names of a spec swapped, or the last one dropped."""
    args = function.args
    places = [("the result's spec", function.returns)]
    places += [("a parameter's spec", arg.annotation) for arg in (*args.args, *args.kwonlyargs)]
    for where, annotation in places:
        for node in ast.walk(annotation) if annotation is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = _NAMED.findall(node.value)
                if len(names) > 1 and names[0] != names[1] and "[" not in node.value:
                    text = swap(node.value, *names[:2])
                    yield Edit(f"names of {where} swapped", node, repr(text))
                    short = node.value.rstrip().removesuffix(names[-1]).rstrip()
                    if short != node.value.rstrip():
                        dropped = f"axis of {where} dropped"
                        yield Edit(dropped, node, repr(short), changes_rank=True)


def call_edits(node: ast.AST, scope: Scope) -> Iterator[Edit]:
    """The first two arguments of an annotated function swapped, where both are arrays."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return
    target = scope.target(node.func)
    if not isinstance(target, Definition) or not isinstance(target.node, FunctionNode):
        return
    kinds = annotated(target.node, Scope(scope.program, target.module))
    first = [arg.arg for arg in target.node.args.args[:2]]
    texts = [ast.unparse(each) for each in node.args]
    if len(first) == 2 and all(name in kinds for name in first) and texts[0] != texts[1]:
        specs = [kinds[name] for name in first]
        if specs[0] != specs[1]:
            texts[:2] = texts[1], texts[0]
            texts += [ast.unparse(each) for each in node.keywords]
            swapped = f"{ast.unparse(node.func)}({', '.join(texts)})"
            yield Edit("arguments of a call swapped", node, swapped)
