# SPDX-License-Identifier: Apache-2.0
"""Which code can come to hold an array: most functions of most modules cannot, and are left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache, partial
from itertools import accumulate

from typedtensors_mypy.source import library
from typedtensors_mypy.source.modules import Assigned, Module, import_bindings
from typedtensors_mypy.source.program import Definition, External, Program, Target, resolve
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.syntax.contents import contents, parts

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class Relevance:
    """What leads to arrays, as one module sees the program.

    Code that holds an array got it from a library, by way of names that it mentions or that the
    code of what it mentions does: an annotation, a class, a function, a variable. The interpreter
    knows of no other way.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._answers: dict[int, bool] = {}
        self._scope_of = cache(partial(Scope, program))

    def leads_to_arrays(self, definition: Definition) -> bool:
        """Whether the code of a definition, or of one that it leads to, names a library of arrays.

        Where the answer is no, it is so for everything that was met on the way.
        """
        known = self._answers.get(id(definition.node))
        if known is not None:
            return known
        pending, met = [definition], {id(definition.node)}
        while pending:
            for target in self._mentioned(pending.pop()):
                if self._is_sure(target):
                    self._answers[id(definition.node)] = True
                    return True
                if isinstance(target, Definition) and id(target.node) not in met:
                    met.add(id(target.node))
                    if id(target.node) not in self._answers:
                        pending.append(target)
        self._answers.update(dict.fromkeys(met, False))
        return False

    def _is_sure(self, target: External | Definition) -> bool:
        if isinstance(target, External):
            return library.makes_arrays(target.name)
        return self._answers.get(id(target.node), False) or target.node == Assigned(None)

    def _mentioned(self, definition: Definition) -> Iterator[External | Definition]:
        module = definition.module
        scope = self._scope_of(module)
        for part in _parts(definition):
            found = module.once(contents, part)
            for name in sorted({*found.names, *_DOTTED.findall(" ".join(found.texts))}):
                if name.partition(".")[0] in module.symbols or module.stars:
                    yield from self._named(scope, name)
            for statement in found.imports:
                for _, full in import_bindings(statement, module.package):
                    yield from self._reached(resolve(self._program, full), is_whole=True)

    def _named(self, scope: Scope, name: str) -> Iterator[External | Definition]:
        for prefix in accumulate(name.split("."), "{}.{}".format):
            yield from self._reached(scope.named(prefix), is_whole=prefix == name)

    def _reached(self, target: Target | None, *, is_whole: bool) -> Iterator[External | Definition]:
        """What a name stands for; all that is in it, if that is a module taken as a value."""
        if not isinstance(target, Module):
            if target is not None:
                yield target
        elif is_whole:
            inside = [resolve(self._program, f"{target.name}.{name}") for name in target.symbols]
            inside += [resolve(self._program, star) for star in target.stars]
            yield from (each for each in inside if isinstance(each, (External, Definition)))


def _parts(definition: Definition) -> tuple[ast.AST, ...]:
    node = definition.node
    if isinstance(node, Assigned):
        return tuple(part for part in (node.value, node.annotation) if part is not None)
    if isinstance(node, ast.ClassDef):
        return tuple(parts(node))
    return (node,)
