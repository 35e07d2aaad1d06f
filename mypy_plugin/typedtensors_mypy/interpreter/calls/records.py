# SPDX-License-Identifier: Apache-2.0
"""Records: classes whose fields write their constructor, as those of `dataclass` do."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from typedtensors.dims.quick import dataclass
from typedtensors.ops import Unknown, Value
from typedtensors_mypy.interpreter.annotations.signature import Parameter, Signature
from typedtensors_mypy.interpreter.calls.classes import lineage
from typedtensors_mypy.interpreter.frame import Frame
from typedtensors_mypy.interpreter.run import Run
from typedtensors_mypy.interpreter.values import Function, Items, UserClass
from typedtensors_mypy.source import library
from typedtensors_mypy.source.annotations.readings import type_of
from typedtensors_mypy.source.annotations.types import UNANNOTATED, AnnotationType, ScalarType
from typedtensors_mypy.source.modules import FunctionNode
from typedtensors_mypy.source.program import External
from typedtensors_mypy.source.syntax.walks import walk

# Annotations of what is no field, and of what only `__post_init__` gets.
_NO_FIELDS = frozenset({"typing.ClassVar", "typing_extensions.ClassVar"})
_PASSED_ON = frozenset({"dataclasses.InitVar"})
_KEYWORDS_FROM_HERE = frozenset({"dataclasses.KW_ONLY"})


@dataclass(frozen=True)
class Field:
    """One field, and the class that it is written in.

    `given`: the constructor has a parameter for it. `kept`: objects have it.
    """

    name: str
    owner: UserClass
    type: AnnotationType
    default: ast.expr | None = None
    given: bool = True
    kept: bool = True
    keyword: bool = False


def is_record(run: Run, cls: UserClass) -> bool:
    """Whether the fields of a class write its constructor."""
    return _decorator(cls) is not None or _has_record_base(run, cls)


def is_frozen(run: Run, cls: UserClass) -> bool:
    """Whether nobody can assign the fields of a class's objects; true of what has no fields."""
    line = [base for base in lineage(run, cls) if isinstance(base, UserClass)]
    return all(_freezes(run, base) for base in line if is_record(run, base))


def _freezes(run: Run, cls: UserClass) -> bool:
    decorator = _decorator(cls)
    return is_named_tuple(run, cls) if decorator is None else _option(decorator, "frozen") is True


def is_named_tuple(run: Run, cls: UserClass) -> bool:
    """Whether objects of a class are tuples, and nothing but that: it has no methods."""
    symbols = cls.symbols.values()
    bases = lineage(run, cls)[1:]
    return (
        len(bases) == 1
        and isinstance(bases[0], External)
        and library.is_named_tuple(bases[0].name)
        and not any(isinstance(symbol, FunctionNode) for symbol in symbols)
    )


def record_constructor(frame: Frame, cls: UserClass) -> Function:
    """The constructor of a record, as if it were written out."""
    run = frame.run
    known = run.constructors.get(id(cls.node))
    if known is None:
        fields = record_fields(run, cls)
        node = _written(run, cls, fields)
        run.signatures[id(node)] = _signature(fields)
        inherited = [each for each in fields if each.owner.scope.module is not cls.scope.module]
        defaults = {each.name: _default(frame, each) for each in inherited if each.default}
        known = Function(node, cls.scope, owner=cls, defaults=defaults)
        run.constructors[id(cls.node)] = known
    return known


def record_fields(run: Run, cls: UserClass) -> list[Field]:
    """The fields of a record, those of its bases first."""
    found: dict[str, Field] = {}
    for base in reversed(lineage(run, cls)):
        if isinstance(base, UserClass) and is_record(run, base):
            for each in _own_fields(base):
                found[each.name] = each
    return list(found.values())


def dict_fields(run: Run, cls: UserClass) -> list[Field]:
    """The keys of a `TypedDict`, those of its bases first; none of any other class."""
    line = lineage(run, cls)
    if not any(isinstance(base, External) and library.is_typed_dict(base.name) for base in line):
        return []
    found = {
        each.name: each
        for base in reversed(line)
        if isinstance(base, UserClass)
        for each in _own_fields(base)
    }
    return list(found.values())


def _has_record_base(run: Run, cls: UserClass) -> bool:
    bases = lineage(run, cls)[1:]
    return any(isinstance(base, External) and library.is_record_base(base.name) for base in bases)


def _decorator(cls: UserClass) -> ast.expr | None:
    """The decorator that writes the constructor."""
    for node in cls.node.decorator_list:
        name = _external(cls, node.func if isinstance(node, ast.Call) else node)
        if library.makes_records(name) and _option(node, "init") is not False:
            return node
    return None


def _external(cls: UserClass, node: ast.expr) -> str:
    """The name of what a library calls so; nothing for anything else."""
    target = cls.scope.target(node)
    return target.name if isinstance(target, External) else ""


def _option(node: ast.expr | None, name: str) -> object:
    """What a call says literally of an option; None if it says nothing."""
    return getattr(_keyword(node, name), "value", None)


def _keyword(node: ast.expr | None, name: str) -> ast.expr | None:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return next((each.value for each in keywords if each.arg == name), None)


def _own_fields(cls: UserClass) -> Iterator[Field]:
    keyword = _option(_decorator(cls), "kw_only") is True
    scope = cls.scope.inside(cls.node)
    for node in cls.node.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        written = node.annotation
        outer = written.value if isinstance(written, ast.Subscript) else written
        kind = _external(cls, outer)
        if kind in _KEYWORDS_FROM_HERE:
            keyword = True
        elif kind not in _NO_FIELDS:
            passed_on = kind in _PASSED_ON and isinstance(written, ast.Subscript)
            inner = written.slice if passed_on and isinstance(written, ast.Subscript) else written
            yield _field(cls, node, type_of(scope, inner), kept=not passed_on, keyword=keyword)


def _field(
    cls: UserClass, node: ast.AnnAssign, read: AnnotationType, *, kept: bool, keyword: bool
) -> Field:
    name = node.target.id if isinstance(node.target, ast.Name) else ""
    value = node.value
    if not isinstance(value, ast.Call) or not library.describes_field(_external(cls, value.func)):
        return Field(name, cls, read, value, kept=kept, keyword=keyword)
    keyword = keyword or _option(value, "kw_only") is True
    given = _option(value, "init") is not False
    return Field(name, cls, read, _described(value), given, kept, keyword)


def _described(call: ast.Call) -> ast.expr | None:
    """The default in `field(default=3)`, `field(default_factory=list)`, `Field(3)`."""
    factory = _keyword(call, "default_factory") or _keyword(call, "factory")
    if factory is not None:
        return ast.fix_missing_locations(ast.copy_location(ast.Call(factory, [], []), call))
    first = call.args[0] if call.args else None
    default = _keyword(call, "default") or first
    return None if isinstance(default, ast.Constant) and default.value is ... else default


def _default(frame: Frame, each: Field) -> Value:
    """The default of a field of another module's class, which is not written in its words."""
    scope = each.owner.scope.inside(each.owner.node)
    inner = Frame(frame.run, scope, depth=frame.depth + 1)
    if each.default is None or inner.too_deep:
        return Unknown("a default that is not followed")
    with frame.run.silence():
        value = inner.evaluate(each.default)
    # Each object would get one of its own.
    return Unknown("a list or dict that is made anew") if isinstance(value, Items) else value


def _signature(fields: Iterable[Field]) -> Signature:
    given = (_parameter(each) for each in fields if each.given)
    return Signature(
        parameters=(Parameter("self", "positional", UNANNOTATED), *given),
        returns=ScalarType("None"),
        returns_node=None,
        plain=True,
        manager=False,
        receiver="self",
        generator=False,
        is_async=False,
        is_property=False,
    )


def _parameter(each: Field) -> Parameter:
    kind = "keyword" if each.keyword else "positional"
    return Parameter(each.name, kind, each.type, each.default, annotated=True)


def _written(run: Run, cls: UserClass, fields: Iterable[Field]) -> ast.FunctionDef:
    """The constructor as a function: it sets the fields, and calls `__post_init__`."""
    lines = [f"self.{each.name} = {_source(each)}" for each in fields if each.kept]
    if _has_method(run, cls, "__post_init__"):
        passed = ", ".join(each.name for each in fields if not each.kept)
        lines.append(f"self.__post_init__({passed})")
    names = ", ".join(["self", *(each.name for each in fields if each.given)])
    text = f"def __init__({names}):\n    " + ("\n    ".join(lines) or "pass")
    return cls.scope.module.once(_Written(text), cls.node)


@dataclass(frozen=True)
class _Written:
    """Gives the function that a text writes, in the place of a class: once for all who ask."""

    text: str

    def __call__(self, cls: ast.ClassDef) -> ast.FunctionDef:
        """The function, all of which stands where the class does."""
        tree = ast.parse(self.text)
        (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef))
        for node in walk(function):
            ast.copy_location(node, cls)
        return function


def _source(each: Field) -> str:
    if each.given or each.default is None:
        return each.name if each.given else "..."
    return ast.unparse(each.default)


def _has_method(run: Run, cls: UserClass, name: str) -> bool:
    classes = (base for base in lineage(run, cls) if isinstance(base, UserClass))
    return any(isinstance(base.symbols.get(name), FunctionNode) for base in classes)
