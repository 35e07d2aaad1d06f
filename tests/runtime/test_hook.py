# SPDX-License-Identifier: Apache-2.0
"""A package that is imported under the hook is checked as if it were decorated."""

from __future__ import annotations

import ast
import asyncio
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from typedtensors import TensorCheckError, install_import_hook
from typedtensors.runtime.hook import decorate_module

SOURCE = '''
"""A module."""

from __future__ import annotations

import contextlib
import enum
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, no_type_check, overload

import numpy as np
from jaxtyping import Float


def flip(x: Float[np.ndarray, "a b"]) -> Float[np.ndarray, "b a"]:
    return x


async def fetch(x: Float[np.ndarray, "n n"]) -> None: ...


def rows(x: Float[np.ndarray, "n n"]):
    yield from x


def asks(x):
    assert isinstance(x, Float[np.ndarray, "n n"]), "asks"


def bare(x):
    return x


class Model:
    def run(self, x: Float[np.ndarray, "n n"]) -> Model:
        return self

    @staticmethod
    def fixed(x: Float[np.ndarray, "n n"]) -> None: ...

    @classmethod
    def built(cls, x: Float[np.ndarray, "n n"]) -> None: ...

    @property
    def size(self) -> Float[np.ndarray, "n n"]:
        return np.zeros((2, 3))


@dataclass
class Batch:
    x: Float[np.ndarray, "n n"]


class Pair(NamedTuple):
    x: Float[np.ndarray, "n n"]


def outer() -> Any:
    def inner(x: Float[np.ndarray, "n n"]) -> None: ...

    return inner


@contextlib.contextmanager
def opened(x: Float[np.ndarray, "n n"]):
    yield x


@no_type_check
def unchecked(x: Float[np.ndarray, "n n"]) -> None: ...


class Shape(enum.Enum):
    WIDE = 1

    def fits(self, x: Float[np.ndarray, "n n"]) -> None: ...


class Reader(Protocol):
    def read(self, x: int) -> int: ...
'''
BAD = np.zeros((2, 3))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The source above as `hooked.inner`, imported under the hook."""
    folder = tmp_path / "hooked"
    folder.mkdir()
    (folder / "__init__.py").write_text("from hooked.inner import *\n")
    (folder / "inner.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    with install_import_hook("hooked"):
        yield importlib.import_module("hooked.inner")
    for name in ("hooked", "hooked.inner"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda m: m.flip(BAD), id="function"),
        pytest.param(lambda m: asyncio.run(m.fetch(BAD)), id="async"),
        pytest.param(lambda m: list(m.rows(BAD)), id="generator"),
        pytest.param(lambda m: m.Model().run(BAD), id="method"),
        pytest.param(lambda m: m.Model.fixed(BAD), id="static method"),
        pytest.param(lambda m: m.Model.built(BAD), id="class method"),
        pytest.param(lambda m: m.Model().size, id="property"),
        pytest.param(lambda m: m.Batch(BAD), id="dataclass"),
        pytest.param(lambda m: m.Pair(BAD), id="named tuple"),
        pytest.param(lambda m: m.outer()(BAD), id="nested"),
        pytest.param(lambda m: m.opened(BAD).__enter__(), id="decorated"),
        pytest.param(lambda m: m.Shape.WIDE.fits(BAD), id="enum"),
    ],
)
def test_what_is_annotated_is_checked(package: ModuleType, call: Callable[[Any], Any]) -> None:
    with pytest.raises(TensorCheckError, match=r"hooked.inner|test_hook"):
        call(package)


def test_a_function_that_asks_has_a_scope_and_others_are_left_alone(package: Any) -> None:
    with pytest.raises(AssertionError, match="asks"):
        package.asks(BAD)
    assert not hasattr(package.bare, "__wrapped__")
    assert package.unchecked(BAD) is None
    assert package.Model().run(np.zeros((2, 2))) is not None


def test_lines_and_the_source_stay_as_they_are(package: Any) -> None:
    line = SOURCE.splitlines().index("    return x") + 1
    assert package.flip.__wrapped__.__code__.co_firstlineno < line
    with pytest.raises(TensorCheckError) as caught:
        package.flip(BAD)
    assert "inner.py" in str(caught.value)
    assert not list(Path(package.__file__).parent.rglob("*.pyc"))


def test_other_modules_and_later_ones_are_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("hooked_not", "later"):
        (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    hook = install_import_hook(["hooked", "later"])
    other = importlib.import_module("hooked_not")
    hook.uninstall()
    hook.uninstall()
    later = importlib.import_module("later")
    assert other.flip(BAD) is later.flip(BAD) is BAD


def test_nothing_is_hooked_where_checks_are_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPEDTENSORS", "off")
    with install_import_hook("hooked") as hook:
        assert hook not in sys.meta_path


def test_stubs_of_overloads_are_left_alone() -> None:
    tree = ast.parse("@typing.overload\ndef f(x: int) -> int: ...\n")
    assert ast.unparse(decorate_module(tree)) == ast.unparse(ast.parse(ast.unparse(tree)))
    assert "checked" not in ast.unparse(tree)
