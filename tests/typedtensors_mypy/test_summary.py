# SPDX-License-Identifier: Apache-2.0
"""What other modules read of a module, and how names lead there."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from tests.typedtensors_mypy.programs import Sources
from typedtensors_mypy.source.modules import Ambiguous, Assigned, Imported, Module
from typedtensors_mypy.source.program import Definition, External, resolve
from typedtensors_mypy.source.summary import read_summary, summarize


def module(source: str, name: str = "m", path: str = "m.py") -> Module:
    parsed = Module.parse(name, path, source)
    assert parsed is not None
    return parsed


def summary(source: str, **place: str) -> str:
    return summarize(module(source, **place))[0]


ANNOTATED = '''
def f(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    """Words."""
    y = x + {literal}
    return y
'''


def test_the_body_of_a_function_that_says_its_shapes_is_nobodys_business() -> None:
    assert summary(ANNOTATED.format(literal=1)) == summary(ANNOTATED.format(literal=2))
    assert "y = " not in summary(ANNOTATED.format(literal=1))


def test_an_edit_of_a_spec_changes_the_summary() -> None:
    source = ANNOTATED.format(literal=1)
    assert summary(source) != summary(source.replace('"n"]:', '"m"]:'))


def test_comments_that_accept_a_broadcast_are_kept() -> None:
    source = """\
def f(x, y):
    z = g(
        x - y,
    )  # broadcast: ok
    if x > y:  # broadcast: ok, for once
        return z
    return x - y
"""
    read = read_summary("m", summary(source))
    assert read is not None
    assert read.accepted == {2, 3, 4, 5}


def test_words_and_calls_at_the_top_level_are_left_out() -> None:
    assert summary('"""Words."""\nprint(1)\nassert x\n') == ""


def test_the_body_of_a_short_untyped_function_is_kept_and_that_of_a_long_one_is_not() -> None:
    assert "x + 1" in summary("def f(x):\n    return x + 1\n")
    lines = "".join(f"    x = x + {number}\n" for number in range(60))
    assert "x + 1" not in summary(f"def f(x):\n{lines}    return x\n")


def test_a_constructor_is_kept_whatever_its_length() -> None:
    lines = "".join(f"        self.a{number} = {number}\n" for number in range(60))
    assert "self.a59 = 59" in summary(f"class C:\n    def __init__(self) -> None:\n{lines}")


def test_the_body_of_a_method_is_kept_for_what_objects_are_made_with() -> None:
    method = "class C:\n    def f(self, x: Float[Tensor, 'n']) -> Float[Tensor, 'n']:\n        "
    assert "self.layer(x)" in summary(f"{method}return self.layer(x)\n")


@pytest.mark.parametrize(
    "returns",
    [
        pytest.param("Float[Tensor, 'n m']", id="a-name-of-its-own"),
        pytest.param("dict[str, 'n']", id="no-array"),
        pytest.param("Float[Batch, 'n']", id="an-alias"),
        pytest.param("tuple[Float[Tensor, 'n'], int]", id="several"),
    ],
)
def test_a_body_is_kept_where_the_annotation_leaves_something_open(returns: str) -> None:
    source = f"def f(x: Float[Tensor, 'n']) -> {returns}:\n    return g(x)\n"
    assert "g(x)" in summary(source)


def test_a_body_that_is_left_out_still_says_which_attributes_it_assigns() -> None:
    source = "def f(c: Config) -> Float[Tensor, '3']:\n    c.x = g()\n    return 1\n"
    assert "c.x = ..." in summary(source)
    assert "g()" not in summary(source)


def test_a_body_that_is_left_out_still_says_what_it_changes() -> None:
    source = "def f() -> Float[Tensor, '3']:\n    xs.append(g())\n    return 1\n"
    assert "xs[...] = ..." in summary(source)
    assert "g()" not in summary(source)


@pytest.mark.parametrize(
    ("source", "path", "origin"),
    [
        pytest.param("from .b import f", "a/m.py", "a.b.f", id="sibling"),
        pytest.param("from . import b as f", "a/m/__init__.py", "a.m.b", id="package"),
        pytest.param("from ..b import f", "a/m.py", "b.f", id="parent"),
        pytest.param(
            "if TYPE_CHECKING:\n    from .b import f", "a/m/__init__.py", "a.m.b.f", id="nested"
        ),
    ],
)
def test_a_reader_sees_imports_as_the_module_itself_does(
    source: str, path: str, origin: str
) -> None:
    read = read_summary("a.m", summary(source, name="a.m", path=path))
    assert read is not None
    assert read.symbols["f"] == Imported(origin)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("x = 1; y = [x]; y.append(2)\n", id="statements-on-one-line"),
        pytest.param("def f(x): return x\n\ndef g(\n    x): return x\n", id="bodies-behind-heads"),
        pytest.param("@a\n# why\n@b\ndef f():\n    @c\n    def g(): pass\n", id="decorators"),
        pytest.param("class C: x = 1; y = 2\n\nclass D:\n    'Words.'; x = 1\n", id="classes"),
        pytest.param("class C:\n    'Words.'\n    class D:\n        pass\n", id="empty-classes"),
        pytest.param('def f(x):\n    """A\nB"""\n    y = """A\nB"""\n    return y\n', id="texts"),
        pytest.param("def f(x):\n\ty = x  # é\n\n\treturn (\n  y)\n", id="odd-layout"),
        pytest.param("if a:\r\n    def f(): pass\r\nelse:\r\n    b = 1\r\n", id="line-ends"),
        pytest.param(ANNOTATED.format(literal=1) + "x = 1 \\\n  + 2\n", id="left-out-body"),
    ],
)
def test_the_text_of_a_summary_tells_what_its_tree_tells(source: str) -> None:
    text, outline = summarize(module(source))
    assert ast.dump(ast.parse(text)) == ast.dump(outline.tree)


def _resolve(files: Mapping[str, str], name: str) -> object:
    found = resolve(Sources(files), name)
    if isinstance(found, Definition):
        return (
            f"{found.module.name}: {ast.unparse(found.node).splitlines()[0]}"
            if isinstance(found.node, ast.AST)
            else found.module.name
        )
    return found.name if isinstance(found, (External, Module)) else found


CHAIN = {
    "a": "from b import f as g\nfrom torch import nn\nimport c\n",
    "b": "from c import *\n",
    "c": "def f(): pass\nclass C: pass\nfrom a import g as again\n",
    "loop": "from pool import x\n",
    "pool": "from loop import x\n",
}


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        pytest.param("a.g", "c: def f():", id="through-an-alias-and-a-star"),
        pytest.param("a.c.C", "c: class C:", id="through-a-module"),
        pytest.param("c.again", "c: def f():", id="through-a-cycle"),
        pytest.param("a.nn.Linear", "torch.nn.Linear", id="into-a-library"),
        pytest.param("torch.zeros", "torch.zeros", id="library"),
        pytest.param("a.c", "c", id="module"),
        pytest.param("a.missing", None, id="missing"),
        pytest.param("loop.x", None, id="endless"),
    ],
)
def test_a_name_leads_to_its_definition(name: str, meaning: str | None) -> None:
    assert _resolve(CHAIN, name) == meaning


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        pytest.param("x = 1", Assigned, id="assigned"),
        pytest.param("x = 1\nx = 2", Ambiguous, id="assigned-twice"),
        pytest.param("x, y = f()", Assigned, id="unpacked"),
        pytest.param("for x in y: pass", Ambiguous, id="loop-variable"),
        pytest.param("x: int", Assigned, id="declared"),
        pytest.param("import a as x", Imported, id="imported"),
        pytest.param("try:\n    import x\nexcept ImportError:\n    x = None", Imported, id="try"),
        pytest.param("if c:\n    x = 1\nelse:\n    x = 2", Ambiguous, id="branches"),
        pytest.param("def x(): pass\ndef x(): pass", Ambiguous, id="defined-twice"),
        pytest.param(
            "if TYPE_CHECKING:\n    from a import x\nelse:\n    x = 1", Imported, id="checking-only"
        ),
    ],
)
def test_what_the_top_level_binds(source: str, kind: type) -> None:
    assert isinstance(module(source).symbols["x"], kind)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        pytest.param("x, y = 1, 2", "2", id="literals"),
        pytest.param("x, y = f()", "f()[1]", id="a-call"),
        pytest.param("(w, x), (z, y) = f(), g()", "g()[1]", id="nested"),
        pytest.param("x, y = *a, 2, 3", "(*a, 2, 3)[1]", id="a-star-before-it"),
        pytest.param("*x, y = f()", None, id="behind-a-star"),
        pytest.param("x, *y = f()", None, id="a-star"),
        pytest.param("with f() as (x, y): pass", None, id="a-context"),
    ],
)
def test_an_unpacked_name_has_its_part_of_the_value(source: str, value: str | None) -> None:
    symbol = module(source).symbols["y"]
    assert isinstance(symbol, Assigned)
    assert (symbol.value and ast.unparse(symbol.value)) == value


def test_a_text_that_is_not_python_is_no_module() -> None:
    assert Module.parse("m", "m.py", "def") is None
