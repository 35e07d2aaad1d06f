# SPDX-License-Identifier: Apache-2.0
"""`install_import_hook`: check a package as if each of its functions were decorated."""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, Literal

from typedtensors.runtime.decorator import decorate_quietly
from typedtensors.runtime.switch import is_off

_NAME = "__typedtensors_checked__"
# What a body calls to look at the bindings of its call.
_ASKS = frozenset({"isinstance", "check", "matches", "bindings", "print_bindings"})
_LEFT_ALONE = frozenset({"no_type_check", "overload"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def install_import_hook(
    modules: str | Sequence[str],
    typechecker: Any = None,  # noqa: ARG001  jaxtyping's argument, which says nothing here
    *,
    only: Literal["arrays"] | None = None,
) -> ImportHook:
    """Check the functions, methods and dataclasses of modules that are imported from now on.

    It is as if each of them, nested ones too, had `@typechecked` as its innermost decorator, and
    each class as its outermost. Functions without annotations are left alone, as are those with
    `no_type_check`. The modules' bytecode caches are not touched.

    Args:
        modules: a package or a module, or several; what is in a package belongs to it.
        typechecker: what jaxtyping's hook takes here; it makes no difference to this one.
        only: `"arrays"` to check no other values, as `typechecked` takes it.

    Returns:
        The hook: use it as a context manager around the imports, or call its `uninstall`.

    >>> with install_import_hook("my_package"):
    ...     pass  # import my_package
    """
    names = (modules,) if isinstance(modules, str) else tuple(modules)
    hook = ImportHook(names, only_arrays=only == "arrays")
    if not is_off():
        sys.meta_path.insert(0, hook)
    return hook


class ImportHook(MetaPathFinder):
    """Finds modules as usual, and has those of some packages checked."""

    def __init__(self, modules: tuple[str, ...], *, only_arrays: bool = False) -> None:
        """Watch for these modules, and for what is in them."""
        self._modules = modules
        self._only_arrays = only_arrays
        self._found: set[str] = set()

    @property
    def not_found(self) -> tuple[str, ...]:
        """Those of the modules that nobody has imported since: their names may be misspelled."""
        return tuple(each for each in self._modules if each not in self._found)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of ours; None for all others."""
        watched = [
            each for each in self._modules if fullname == each or fullname.startswith(f"{each}.")
        ]
        spec = self._found_by_others(fullname, path, target) if watched else None
        if spec is not None:
            self._found.update(watched)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return None  # what pytest rewrites, for one, is left to it
        spec.loader = _Loader(spec.loader.name, spec.loader.path, only_arrays=self._only_arrays)
        return spec

    def _found_by_others(self, *wanted: Any) -> ModuleSpec | None:
        """Find a module as if this hook were not there: editable installs have finders too."""
        others = [each for each in sys.meta_path if not isinstance(each, ImportHook)]
        specs = (each.find_spec(*wanted) for each in others if hasattr(each, "find_spec"))
        return next((spec for spec in specs if spec is not None), None)

    def uninstall(self) -> None:
        """Leave alone what is imported from now on."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def __enter__(self) -> ImportHook:  # noqa: PYI034  `Self` is not in Python 3.10
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.uninstall()


class _Loader(SourceFileLoader):
    """Compiles a module with its decorators; never from or to a cache of bytecode."""

    def __init__(self, name: str, path: str, *, only_arrays: bool) -> None:
        super().__init__(name, path)
        self._only_arrays = only_arrays

    def get_code(self, fullname: str) -> CodeType:
        """Compile what has been decorated."""
        path = self.get_filename(fullname)
        tree = ast.parse(importlib.util.decode_source(self.get_data(path)), path)
        return compile(decorate_module(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, where our decorator has a name that is nobody else's."""
        decorate = functools.partial(decorate_quietly, only_arrays=self._only_arrays)
        module.__dict__[_NAME] = decorate
        super().exec_module(module)


def decorate_module(tree: ast.Module) -> ast.Module:
    """Add our decorator to the functions and classes of a module, in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _concerns_us(node):
            node.decorator_list.append(_decorator(node))
        elif isinstance(node, ast.ClassDef) and not _is_left_alone(node):
            node.decorator_list.insert(0, _decorator(node))
    return tree


def _decorator(node: _Function | ast.ClassDef) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(ast.Name(_NAME, ast.Load()), node))


def _concerns_us(node: _Function) -> bool:
    return not _is_left_alone(node) and (_is_annotated(node) or _asks(node))


def _is_left_alone(node: _Function | ast.ClassDef) -> bool:
    return any(_name(decorator) in _LEFT_ALONE for decorator in node.decorator_list)


def _is_annotated(node: _Function) -> bool:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return node.returns is not None or any(each.annotation is not None for each in every)


def _asks(node: _Function) -> bool:
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(_name(function) in _ASKS for function in calls)


def _name(expression: ast.expr) -> str | None:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    if isinstance(expression, ast.Call):
        return _name(expression.func)
    return expression.id if isinstance(expression, ast.Name) else None
