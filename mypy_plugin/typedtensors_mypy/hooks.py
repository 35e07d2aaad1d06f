# SPDX-License-Identifier: Apache-2.0
"""The plugin proper: when mypy has checked a module, check its shapes.

No hook here changes a type or a message of mypy's. Three hooks of semantic analysis let a module's
summary become part of the module: whatever a module has of types, classes and calls, mypy asks for
one of them. The rest is look-ups.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mypy.plugin import Plugin

from typedtensors.config import Config
from typedtensors_mypy import names
from typedtensors_mypy.build import Build, is_users
from typedtensors_mypy.digest import digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy.nodes import MypyFile
    from mypy.options import Options
    from mypy.plugin import (
        AnalyzeTypeContext,
        ClassDefContext,
        DynamicClassDefContext,
        FunctionContext,
        ReportConfigContext,
    )
    from mypy.types import Type


@cache
def configured() -> Config:
    """The project's configuration. Raises ConfigError."""
    return Config.find(Path.cwd())


class TypedTensors(Plugin):
    """Summarizes each of the user's modules during analysis, checks it when its check is over."""

    def __init__(self, options: Options, level: str | None = None) -> None:
        """`level` is that of all modules' broadcasts, in the place of the configuration's."""
        super().__init__(options)
        self._config = configured() if level is None else configured().at_level(level)
        self._digest = digest(self._config)
        self._build = Build(options, self._config, self.lookup_fully_qualified)

    def report_config_data(self, ctx: ReportConfigContext) -> str | None:
        """What the results of ours that are cached with the user's modules depend on."""
        return self._digest if is_users(ctx.path) else None

    def get_type_analyze_hook(
        self,
        fullname: str,  # noqa: ARG002 - any type will do
    ) -> Callable[[AnalyzeTypeContext], Type] | None:
        """Asked for each type that is written, to see the module it stands in."""
        return None if self._build.summarize_current() else self._type_is_analyzed

    def _type_is_analyzed(self, ctx: AnalyzeTypeContext) -> Type:
        self._build.meet(names.analyzer_of_types(ctx.api))
        # The type is mypy's own: the same analysis once more, without us.
        return ctx.api.analyze_type(ctx.type)

    def get_customize_class_mro_hook(
        self,
        fullname: str,  # noqa: ARG002 - any class will do
    ) -> Callable[[ClassDefContext], None] | None:
        """Asked for each class, to see the module it stands in."""
        return None if self._build.summarize_current() else self._class_is_analyzed

    def _class_is_analyzed(self, ctx: ClassDefContext) -> None:
        self._build.meet(ctx.api)

    def get_dynamic_class_hook(
        self,
        fullname: str,  # noqa: ARG002 - any call will do
    ) -> Callable[[DynamicClassDefContext], None] | None:
        """Asked for each name that a call is assigned to, to see the module it stands in."""
        return None if self._build.summarize_current() else self._call_is_analyzed

    def _call_is_analyzed(self, ctx: DynamicClassDefContext) -> None:
        self._build.meet(ctx.api)

    def get_function_hook(
        self,
        fullname: str,  # noqa: ARG002 - that it is asked is all that counts
    ) -> Callable[[FunctionContext], Type] | None:
        """Has no hook to give; being asked during a check shows the build's error channel."""
        self._build.see(names.errors_while_checking)
        return None

    def get_additional_indirect_deps(self, file: MypyFile) -> set[str]:
        """Mypy calls this when it has checked a module, before it reports and caches it."""
        return self._build.check(file)
