# SPDX-License-Identifier: Apache-2.0
"""What the modules of the static check are turned into before they are compiled."""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import importlib
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tools.compiled.acyclic import acyclic
from tools.compiled.constants import with_constants
from tools.compiled.fields import fields_of
from tools.compiled.idioms import with_idioms
from tools.compiled.rooms import modules, name_of
from tools.compiled.sources import prepared
from tools.compiled.written_out import written_out

ROOT = Path(__file__).resolve().parent.parent

BASE = '''
from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Size:
    """A size."""

    count: Fraction = HALF
    note: str = field(default="", compare=False)
'''

VALUES = '''
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from {base} import Size

asked: list[str] = []


@dataclass(frozen=True)
class Named(Size):
    """A size with a name."""

    name: str = "n"

    @cached_property
    def text(self) -> str:
        """Asked once."""
        asked.append(self.name)
        return f"{{self.name}}={{self.count}}"


@dataclass
class State:
    """What changes."""

    values: dict[str, int] = field(default_factory=dict)
    lists: list[int] = field(default_factory=lambda: [0])
    total: int = field(default=0, init=False)
    strict: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        self.total = sum(self.values.values())


@dataclass(frozen=True, eq=False)
class Cell:
    """Only itself."""

    value: object
'''


def _load(name: str, source: str, folder: Path) -> ModuleType:
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    """A module as it is written, and what it is turned into."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("plain_base", "plain", "out_base", "out"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    base = _load("plain_base", BASE, tmp_path)
    plain = _load("plain", VALUES.format(base="plain_base"), tmp_path)
    _load("out_base", _turned(BASE, base), tmp_path)
    source = _turned(VALUES.format(base="plain_base"), plain)
    out = _load("out", source.replace("plain_base", "out_base"), tmp_path)
    return plain, out


def _turned(source: str, module: ModuleType) -> str:
    return with_constants(with_idioms(written_out(source, module, ())), module, ())


def _shown(module: ModuleType) -> list[object]:
    size, other = module.Named(name="a"), module.Named(note="said")
    state: Any = module.State({"a": 1, "b": 2}, strict=True)
    return [
        repr(size),
        repr(dataclasses.replace(other, name="b")),
        size == module.Named(name="a", note="more"),
        size == other,
        size == module.Size(),
        len({size, other, module.Named(name="a")}),
        size.text + size.text,
        list(module.asked),
        copy.deepcopy(size) == size,
        pickle.loads(pickle.dumps(other)) == other,  # noqa: S301 - what was just written
        repr(state),
        state == module.State({"a": 1, "b": 2}, strict=True),
        module.State().lists is module.State().lists,
        module.State.__hash__ is None,
        module.Cell(1) == module.Cell(1),
        [field.name for field in dataclasses.fields(module.State)],
    ]


def test_values_are_what_they_were(both: tuple[ModuleType, ModuleType]) -> None:
    """They are made, compared, shown and replaced alike, and a cached property is computed once."""
    plain, out = both
    assert _shown(out) == _shown(plain)


def test_constructors_are_in_the_source(both: tuple[ModuleType, ModuleType]) -> None:
    """So mypyc compiles them; those that Python makes are in no file."""
    plain, out = both
    assert out.Named.__init__.__code__.co_filename.endswith("out.py")
    assert plain.Named.__init__.__code__.co_filename == "<string>"


def test_every_compiled_module_can_be_prepared() -> None:
    for path, text in prepared({path: folder for folder, path in modules(ROOT)}):
        compile(text, str(path), "exec")
        assert "@cached_property" not in text


@pytest.mark.parametrize(
    ("written", "turned"),
    [
        ("zip(a, b, strict=True)", "zip(a, b)"),
        ("zip(*(x.__class__ for x in a), strict=False)", "zip(*(type(x) for x in a))"),
        ("zip(a, b, strict=lenient)", "zip(a, b, strict=lenient)"),
        ("replace(of(a), name=b.__class__)", "(of(a))._replaced(name=type(b))"),
        ("replace(a, **changes)", "(a)._replaced(**changes)"),
        ("text.replace(a, b)", "text.replace(a, b)"),
    ],
)
def test_idioms_give_way_to_what_mypyc_knows(written: str, turned: str) -> None:
    assert with_idioms(f"x = {written}  # ä\n") == f"x = {turned}  # ä\n"


LOOKUPS = """
from __future__ import annotations

import ast
from enum import Enum
from typing import TypeAlias

class Sign(Enum):
    PLUS = "+"

Node: TypeAlias = ast.AST
Names = dict[str, int]
LIMIT = 3
TABLE: dict[type, str] = {ast.Name: "name"}
again = 1
again = 2

def kind(node: ast.Name, sign: Sign = Sign.PLUS) -> str | None:
    other: ast.expr = ast.Name("x")
    if isinstance(node, (ast.Name, str)) and sign is Sign.PLUS:
        return TABLE.get(node.__class__)
    match sign:
        case Sign.PLUS:
            return "+"
    return None
"""


def test_what_never_changes_is_final(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types stay what they are, and so does what a signature, an annotation or a pattern says."""
    monkeypatch.syspath_prepend(str(tmp_path))
    module = _load("lookups", LOOKUPS, tmp_path)
    text = with_constants(LOOKUPS, module, ())
    assert _changed(LOOKUPS, text) == [
        "from typing import Final as _Final",
        "_ast__Name_: _Final = ast.Name",
        "_Sign__PLUS_: _Final = Sign.PLUS",
        "LIMIT: _Final = 3",
        'TABLE: _Final[dict[type, str]] = {ast.Name: "name"}',
        "    if isinstance(node, (_ast__Name_, str)) and sign is _Sign__PLUS_:",
    ]
    turned = _load("lookups_turned", text, tmp_path)
    assert turned.kind(ast.Name("a"), turned.Sign.PLUS) == "name"


def _changed(before: str, after: str) -> list[str]:
    known = before.splitlines()
    return [line for line in after.splitlines() if line not in known]


CYCLES = """
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

@dataclass(frozen=True)
class Leaf:
    name: str
    inside: tuple[Leaf | None, ...]

@dataclass(frozen=True)
class Tree:
    leaves: Mapping[str, Leaf]

@dataclass(frozen=True)
class Held:
    value: object

@dataclass(frozen=True)
class Open:
    leaf: Leaf

@dataclass(frozen=True)
class Filled(Open):
    held: Held

@dataclass(frozen=True)
class Around:
    open: Open

@dataclass
class Changing:
    leaf: Leaf
"""


def test_only_what_cannot_lead_back_to_itself_is_acyclic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A subclass may hold more than its base, and what changes may hold itself one day."""
    monkeypatch.syspath_prepend(str(tmp_path))
    module = _load("cycles", CYCLES, tmp_path)
    assert acyclic([module]) == {module.Leaf, module.Tree}
    assert written_out(CYCLES, module, {module.Leaf}).count("acyclic=True") == 1


@pytest.mark.parametrize(("folder", "path"), [*modules(ROOT)], ids=lambda path: str(path.name))
def test_names_do_not_change_places(folder: Path, path: Path) -> None:
    """Of `a, b = b, a`, mypyc takes the second `a` for what it is afterwards: of another type."""
    for node in ast.walk(ast.parse((folder / path).read_text(encoding="utf-8"))):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                names = [ast.unparse(each) for each in targets]
                for at, value in enumerate(map(ast.unparse, values)):
                    assert value not in names[:at], ast.unparse(node)


@pytest.mark.parametrize(("folder", "path"), [*modules(ROOT)], ids=lambda path: str(path.name))
def test_keys_stand_before_the_set_that_they_are_met_with(folder: Path, path: Path) -> None:
    """`frozenset & keys` is a set, though declared as a frozenset, for which mypyc takes it."""
    for node in ast.walk(ast.parse((folder / path).read_text(encoding="utf-8"))):
        match node:
            case ast.BinOp(
                left=left,
                op=ast.BitAnd() | ast.BitOr() | ast.BitXor() | ast.Sub(),
                right=ast.Call(func=ast.Attribute(attr="keys")),
            ):
                assert ast.unparse(left).endswith(".keys()"), ast.unparse(node)


@pytest.mark.parametrize("path", [path for _, path in modules(ROOT)], ids=str)
def test_fields_are_annotated_with_what_is_there_at_run_time(path: Path) -> None:
    """A compiled class looks up what annotates its fields, where Python keeps the text."""
    module = importlib.import_module(name_of(path))
    there = vars(module).keys() | vars(builtins).keys()
    for cls in filter(dataclasses.is_dataclass, vars(module).values()):
        for field in fields_of(cls) if isinstance(cls, type) else ():
            kind = field.annotation
            while isinstance(kind, ast.Subscript):
                kind = kind.value
            if field.home == module.__name__ and isinstance(kind, ast.Name):
                assert kind.id in there, f"{cls.__name__}.{field.name}"
