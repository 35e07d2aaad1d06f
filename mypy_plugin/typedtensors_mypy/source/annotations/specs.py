# SPDX-License-Identifier: Apache-2.0
"""Annotations to types: which words of an annotation are a spec, and what holds it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import field, replace

from typedtensors.diagnostics import Diagnostic
from typedtensors.dims.quick import dataclass
from typedtensors.ops import canonical
from typedtensors.shapes import DType, Spec, SpecError, parse_spec
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.abbreviations import abbreviation
from typedtensors_mypy.source.annotations.brackets import (
    called,
    disjoint,
    scalar_problem,
    wrong_brackets,
)
from typedtensors_mypy.source.annotations.texts import text_of
from typedtensors_mypy.source.annotations.types import (
    UNANNOTATED,
    AnnotationType,
    ArrayType,
    BareArrayType,
    CallableType,
    ClassType,
    MappingType,
    ObjectType,
    OpaqueType,
    ScalarType,
    StreamType,
    TupleType,
    UnionType,
)
from typedtensors_mypy.source.modules import AnyFunction, Assigned
from typedtensors_mypy.source.program import Definition, External
from typedtensors_mypy.source.scope import Scope
from typedtensors_mypy.source.syntax.walks import empty_function

# So many aliases may stand for one another; and so many in all, for `A = tuple[B, B, B]` with
# `B = tuple[C, C, C]` and so on has no end that is worth it.
_DEEPEST_ALIAS = 10
_MOST_ALIASES = 1_000


@dataclass(frozen=True)
class SpecProblem:
    """A spec that cannot be meant, and where it is written."""

    node: ast.expr
    diagnostic: Diagnostic


@dataclass
class SpecReader:
    """Reads the annotations of one scope; `problems` are the specs that cannot be meant."""

    scope: Scope
    problems: list[SpecProblem] = field(default_factory=list)
    _aliases: tuple[ast.expr, ...] = ()
    _met: list[ast.expr] = field(default_factory=list)

    def read(self, node: ast.expr | None) -> AnnotationType:
        """The type that an annotation writes; opaque if there is none or it says nothing."""
        if node is None:
            return UNANNOTATED
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return _union(self.read(node.left), self.read(node.right))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._name(node)
        if isinstance(node, ast.Call):
            self._tell(node, called(node, self.scope))
        return OpaqueType("an annotation of a kind that is not read")

    def _constant(self, node: ast.Constant) -> AnnotationType:
        if node.value is None:
            return ScalarType("None")
        if not isinstance(node.value, str):
            return OpaqueType("a constant is no type")
        inner = self.scope.module.once(_unquoted, node)
        return self.read(inner) if inner else OpaqueType("the quoted annotation is not Python")

    def _name(self, node: ast.Name | ast.Attribute) -> AnnotationType:
        target = self.scope.target(node)
        if isinstance(target, External):
            return _library_type(target.name)
        if isinstance(target, Definition):
            return self._definition(target)
        return OpaqueType(f"`{ast.unparse(node)}` depends on the run")

    def _definition(self, target: Definition) -> AnnotationType:
        if isinstance(target.node, ast.ClassDef):
            return ClassType(target.module, target.node)
        if not isinstance(target.node, Assigned) or target.node.value is None:
            return OpaqueType("not a type")
        value = target.node.value
        if value in self._aliases or len(self._aliases) >= _DEEPEST_ALIAS:
            return OpaqueType("an alias of itself")
        if len(self._met) >= _MOST_ALIASES:
            return OpaqueType("an annotation of too many parts")
        self._met.append(value)
        # What is wrong in an alias is reported where the alias is written.
        own = target.module is self.scope.module
        scope = self.scope if own else Scope(self.scope.program, target.module)
        return SpecReader(scope, [], (*self._aliases, value), self._met).read(value)

    def _subscript(self, node: ast.Subscript) -> AnnotationType:
        target = self.scope.target(node.value)
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        short = abbreviation(self.scope, target)
        if short is not None:
            held = SpecReader(short.scope).read(short.array)
            return self._held_array(node, short.dtype, held, short.array, node.slice)
        if not isinstance(target, External):
            self.read(node.value if isinstance(node.value, ast.Subscript) else None)
            return OpaqueType("a generic class of the user's")
        dtype = library.jaxtyping_dtype(target.name)
        if dtype is not None:
            return self._array(node, dtype, arguments)
        form = library.generic(target.name)
        if form == "callable":
            return self._callable(node.slice)
        read = _GENERICS.get(form)
        return read(self, arguments) if read else OpaqueType(f"`{target.name}` holds no arrays")

    def _callable(self, written: ast.expr) -> AnnotationType:
        if not isinstance(written, ast.Tuple) or len(written.elts) != 2:
            return OpaqueType("a callable")
        # One function per annotation: what is known of a function hangs on its node.
        function = self.scope.module.once(_promised_function, written)
        for part in (*(arg.annotation for arg in function.args.posonlyargs), function.returns):
            self.read(part)
        return CallableType(function, self.scope)

    def _array(self, node: ast.Subscript, dtype: str, arguments: list[ast.expr]) -> AnnotationType:
        problem = wrong_brackets(node, arguments, self.scope)
        if problem is not None:
            self._tell(node, problem)
            return OpaqueType("a dtype needs an array type and a spec", is_unreadable=True)
        held = self.read(arguments[0])
        return self._held_array(node, dtype, held, *arguments)

    def _held_array(
        self,
        node: ast.Subscript,
        dtype: str,
        held: AnnotationType,
        array: ast.expr,
        written: ast.expr,
    ) -> AnnotationType:
        """`dtype[array, written]`, of which the array is read already."""
        spec = self._spec(written)
        if spec is None:
            return OpaqueType("the spec cannot be read", is_unreadable=True)
        if isinstance(held, ArrayType):
            self._tell(node, disjoint(node, (dtype, held.dtype), array, spec))
            return self._nested(node, held, spec, dtype)
        if isinstance(held, BareArrayType):
            return ArrayType(spec, dtype, held.framework)
        if isinstance(held, UnionType):
            return _union(*(self._held(item, spec, dtype) for item in held.items))
        if isinstance(held, ScalarType):
            self._tell(node, scalar_problem(node, dtype, held.name, spec))
        return OpaqueType("not an array type that is known")

    def _held(self, held: AnnotationType, spec: Spec, dtype: str) -> AnnotationType:
        if isinstance(held, BareArrayType):
            return ArrayType(spec, dtype, held.framework)
        return OpaqueType("a union of array types and others")

    def _nested(
        self, node: ast.Subscript, held: ArrayType, spec: Spec, dtype: str
    ) -> AnnotationType:
        """`Float[Shaped[Tensor, "c h w"], "b"]` is `Float[Tensor, "b c h w"]`."""
        both = DType.named(held.dtype).intersection(DType.named(dtype))
        try:
            return ArrayType(held.spec.inside(spec), both.text, held.framework)
        except SpecError as error:
            self._tell(node, error.diagnostic)
            return OpaqueType("the specs cannot be nested")

    def _tell(self, node: ast.expr, problem: Diagnostic | None) -> None:
        if problem is not None:
            self.problems.append(SpecProblem(node, problem))

    def _spec(self, node: ast.expr) -> Spec | None:
        text = text_of(node, self.scope)
        if text is None:
            return None
        try:
            return parse_spec(text)
        except SpecError as error:
            self._tell(node, error.diagnostic)
            return None if error.meant is None else parse_spec(error.meant)

    def items(self, arguments: list[ast.expr]) -> AnnotationType:
        """`tuple[A, B]`, or `tuple[A, ...]`."""
        last = arguments[-1] if arguments else None
        if isinstance(last, ast.Constant) and last.value is ...:
            return StreamType(self.read(arguments[0]))
        items = tuple(map(self.read, arguments))
        if len(items) == 1 and isinstance(items[0], ScalarType):
            # `sizes: tuple[int]` is often written where `tuple[int, ...]` is meant.
            return StreamType(items[0])
        return TupleType(items)


def _union(*items: AnnotationType) -> AnnotationType:
    flat: dict[AnnotationType, None] = {}
    for item in items:
        flat.update(dict.fromkeys(item.items if isinstance(item, UnionType) else (item,)))
    return next(iter(flat)) if len(flat) == 1 else UnionType(tuple(flat))


def _library_type(name: str) -> AnnotationType:
    framework = library.array_framework(name)
    if framework is not None:
        return BareArrayType(framework)
    known = canonical(name)
    if known in library.OBJECTS:
        return ObjectType(known)
    scalar = library.scalar(name)
    return ScalarType(scalar) if scalar else OpaqueType(f"`{name}` is not followed")


def _first(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    return StreamType(reader.read(arguments[0]))


def _batches(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    """`DataLoader[A]`: `A` is an item of the data set to torch, and a batch to many people."""
    return StreamType(_loaded(reader.read(arguments[0])))


def _loaded(item: AnnotationType) -> AnnotationType:
    """An item, or what torch makes of several: arrays get an axis, numbers become arrays."""
    if isinstance(item, ArrayType):
        return _union(item, replace(item, spec=item.spec.inside(parse_spec("_"))))
    if isinstance(item, TupleType):
        return TupleType(tuple(map(_loaded, item.items)))
    if isinstance(item, MappingType):
        return MappingType(_loaded(item.item))
    return OpaqueType("a number or an array of some") if isinstance(item, ScalarType) else item


def _same(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    return reader.read(arguments[0])


def _either(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    return _union(*map(reader.read, arguments))


def _optional(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    return _union(reader.read(arguments[0]), ScalarType("None"))


def _mapping(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    kinds = [reader.read(argument) for argument in arguments]
    return MappingType(kinds[-1]) if len(kinds) == 2 else OpaqueType("a mapping")


def _tree(reader: SpecReader, arguments: list[ast.expr]) -> AnnotationType:
    reader.read(arguments[0])
    return OpaqueType("a tree")


def _promised_function(written: ast.Tuple) -> AnyFunction:
    """The function that the brackets of `Callable[[A], B]` promise; nobody sees its body."""
    takes, gives = written.elts
    if isinstance(takes, ast.List):
        function = empty_function("a callable", "")
        named = enumerate(takes.elts, start=1)
        function.args.posonlyargs = [ast.arg(f"argument {at}", part) for at, part in named]
    else:
        function = empty_function("a callable", "*args, **kwargs")
    function.returns = gives
    return ast.copy_location(function, written)


def _unquoted(node: ast.Constant) -> ast.expr | None:
    """The annotation that a text holds, where the text stands; None if it holds none."""
    try:
        inner = ast.parse(str(node.value).strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    for part in ast.walk(inner):
        ast.copy_location(part, node)
    return inner


_GENERICS: Mapping[str | None, Callable[[SpecReader, list[ast.expr]], AnnotationType]] = {
    "tuple": SpecReader.items,
    "stream": _first,
    "loader": _batches,
    "same": _same,
    "union": _either,
    "optional": _optional,
    "mapping": _mapping,
    "tree": _tree,
}
