# SPDX-License-Identifier: Apache-2.0
"""What the names of a module stand for, read from its syntax alone."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias, TypeGuard, TypeVar

from typedtensors.dims.quick import dataclass
from typedtensors.shapes.broadcast import accepted_lines


@dataclass(frozen=True)
class Imported:
    """A name that an import binds, to what another module calls `target`."""

    target: str


@dataclass(frozen=True)
class Assigned:
    """A name that is assigned once; `value` is None where no expression is its value alone.

    `before` is what the name was imported as, in `Float = Short(Float)`: there it means that.
    """

    value: ast.expr | None
    annotation: ast.expr | None = None
    before: Imported | None = None


@dataclass(frozen=True)
class Ambiguous:
    """A name that several statements bind: what it stands for depends on the run."""


FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)
AnyFunction: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_Node = TypeVar("_Node", bound=ast.AST)
_Answer = TypeVar("_Answer")
# Stands for the answer to a question that nobody has asked: an answer may be None.
UNASKED: Any = object()
Symbol: TypeAlias = Imported | Assigned | Ambiguous | AnyFunction | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Module:
    """One parsed module.

    Invariant: `symbols` is what its top level binds, `stars` the modules it imports all names of,
    `accepted` the lines whose broadcasts a comment accepts. `source` is the text, where it was
    parsed from one, with a newline for each end of a line that Python knows.
    """

    name: str
    path: str
    tree: ast.Module
    symbols: Mapping[str, Symbol]
    stars: tuple[str, ...]
    accepted: frozenset[int] = frozenset()
    source: str = field(default="", repr=False)
    _answers: dict[tuple[object, ast.AST], Any] = field(default_factory=dict, repr=False)
    _bound: dict[ast.AST, Mapping[str, Symbol]] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, name: str, path: str, source: str) -> Module | None:
        """The module that a source text holds, or None if this Python cannot parse it."""
        source = source.replace("\r\n", "\n").replace("\r", "\n")
        try:
            # Of an escape that is none, and the like, Python warns those who run the code.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source, path)
                return cls.of(name, path, tree, accepted_lines(source), source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @classmethod
    def of(
        cls, name: str, path: str, tree: ast.Module, accepted: frozenset[int], source: str = ""
    ) -> Module:
        """The module that a syntax tree holds."""
        collector = _Collector(package_of(name, path))
        collector.block(tree.body)
        stars = tuple(collector.stars)
        return cls(name, path, tree, collector.symbols, stars, accepted, source)

    @property
    def is_package(self) -> bool:
        """Whether other modules are inside it."""
        return _is_package(self.path)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return package_of(self.name, self.path)

    def once(self, ask: Callable[[_Node], _Answer], node: _Node) -> _Answer:
        """The answer to a question about a node of the module, which is asked once per node."""
        key = ask, node
        answer: _Answer = self._answers.get(key, UNASKED)
        if answer is UNASKED:
            answer = self._answers[key] = ask(node)
        return answer

    def summed(self, ask: Callable[[Module], _Answer]) -> _Answer:
        """The answer to a question about the whole module, which is asked once."""
        key = ask, self.tree
        answer: _Answer = self._answers.get(key, UNASKED)
        if answer is UNASKED:
            answer = self._answers[key] = ask(self)
        return answer

    def symbols_in(self, node: AnyFunction | ast.ClassDef) -> Mapping[str, Symbol]:
        """What the statements of a function or class bind, read as the top level is."""
        known = self._bound.get(node)
        if known is None:
            collector = _Collector(self.package)
            collector.block(node.body)
            known = self._bound[node] = collector.symbols
        return known


def _is_overload(node: AnyFunction) -> bool:
    """Whether a function only says how another definition of its name may be called."""
    names = (getattr(each, "attr", getattr(each, "id", "")) for each in node.decorator_list)
    return "overload" in names


def package_of(name: str, path: str) -> str:
    """The package that a module's relative imports start from."""
    return name if _is_package(path) else name.rpartition(".")[0]


def _is_package(path: str) -> bool:
    return path.endswith("__init__.py")


def import_bindings(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with what it stands for; `*` for a star import."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield (alias.asname, alias.name) if alias.asname else (_root(alias.name),) * 2
        return
    origin = import_origin(node, package)
    for alias in node.names:
        target = origin if alias.name == "*" else f"{origin}.{alias.name}"
        yield alias.asname or alias.name, target


def _root(dotted: str) -> str:
    return dotted.partition(".")[0]


def import_origin(node: ast.ImportFrom, package: str) -> str:
    """The absolute name of the module that `from ... import` reads."""
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, *filter(None, [node.module])])


def _wraps(symbol: Symbol, name: str) -> TypeGuard[Assigned]:
    """Whether an assignment is `Float = Short(Float)`: a name for what is made of its namesake."""
    if not isinstance(symbol, Assigned) or not isinstance(symbol.value, ast.Call):
        return False
    given = (*symbol.value.args, *(keyword.value for keyword in symbol.value.keywords))
    return any(isinstance(each, ast.Name) and each.id == name for each in given)


def _unpacked(value: ast.expr, targets: Sequence[ast.expr]) -> Sequence[ast.expr | None]:
    """What each target of an unpacked value gets: `f()[1]` for the second of `f()`.

    None for a target with a star, and behind one, where the place in the value is not known.
    """
    starred = (at for at, target in enumerate(targets) if isinstance(target, ast.Starred))
    known = next(starred, len(targets))
    return [_item(value, at) if at < known else None for at in range(len(targets))]


def _item(value: ast.expr, position: int) -> ast.expr:
    written = value.elts[: position + 1] if isinstance(value, (ast.Tuple, ast.List)) else []
    if len(written) > position and not any(isinstance(part, ast.Starred) for part in written):
        return written[position]
    item = ast.Subscript(value, ast.Constant(position), ast.Load())
    return ast.fix_missing_locations(ast.copy_location(item, value))


@dataclass
class _Collector:
    """Walks the statements that share one scope, in order."""

    package: str
    symbols: dict[str, Symbol] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    _depth: int = 0

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._imports(node)
        elif isinstance(node, (*FunctionNode, ast.ClassDef)):
            self._define(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, Assigned(node.value))
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name):
                self._bind(node.target.id, Assigned(node.value, node.annotation))
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, Ambiguous())
        elif type(node).__name__ == "TypeAlias":
            self._bind(node.name.id, Assigned(node.value))  # type: ignore[attr-defined]
        else:
            self._compound(node)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, target in import_bindings(node, self.package):
            if name == "*":
                self.stars.append(target)
            else:
                self._bind(name, Imported(target))

    def _define(self, node: AnyFunction | ast.ClassDef) -> None:
        before = self.symbols.get(node.name)
        if isinstance(before, FunctionNode) and _is_overload(before):
            # What follows overloads is the function itself.
            self.symbols[node.name] = node
        elif isinstance(before, FunctionNode) and isinstance(node, FunctionNode):
            # A property's setter, a registered implementation: one name, many bodies.
            self.symbols[node.name] = Ambiguous()
        else:
            self._bind(node.name, node)

    def _assign(self, target: ast.expr, symbol: Assigned | Ambiguous) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, symbol)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, symbol)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, symbol)

    def _unpack(self, targets: list[ast.expr], symbol: Assigned | Ambiguous) -> None:
        if isinstance(symbol, Assigned) and symbol.value is not None:
            for target, part in zip(targets, _unpacked(symbol.value, targets), strict=True):
                self._assign(target, Assigned(part))
        else:
            for target in targets:
                self._assign(target, symbol)

    def _bind(self, name: str, symbol: Symbol) -> None:
        before = self.symbols.get(name)
        same = isinstance(symbol, Imported) and before == symbol
        if self._depth == 0 and isinstance(before, Imported) and _wraps(symbol, name):
            self.symbols[name] = replace(symbol, before=before)
        else:
            self.symbols[name] = symbol if before is None or same else Ambiguous()

    def _compound(self, node: ast.stmt) -> None:
        self._depth += 1
        self._inside(node)
        self._depth -= 1

    def _inside(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self._branches(node)
        elif isinstance(node, ast.Try):
            self._attempt(node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, Assigned(None))
            self.block(node.body)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._assign(node.target, Ambiguous())
            self.block([*node.body, *node.orelse])
        elif isinstance(node, ast.While):
            self.block([*node.body, *node.orelse])

    def _branches(self, node: ast.If) -> None:
        """A `TYPE_CHECKING` block is what the annotations mean; its `else` is for the run."""
        test = ast.unparse(node.test)
        if test.endswith("TYPE_CHECKING"):
            chosen = node.orelse if test.startswith("not ") else node.body
            self.block(chosen)
        else:
            self.block([*node.body, *node.orelse])

    def _attempt(self, node: ast.Try) -> None:
        """`try: import a; except ImportError: a = None` means `a`: a handler only adds names."""
        self.block([*node.body, *node.orelse])
        for handler in node.handlers:
            fallback = _Collector(self.package)
            fallback.block(handler.body)
            for name, symbol in fallback.symbols.items():
                self.symbols.setdefault(name, symbol)
        self.block(node.finalbody)
