# SPDX-License-Identifier: Apache-2.0
"""The plugin proper: when mypy has checked a module, check its shapes.

No hook here changes a type or a message of mypy's. One lets a module's summary become part of the
module before mypy caches it, one checks it; the others show where to report.
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
        FunctionContext,
        ReportConfigContext,
    )
    from mypy.types import Type

    from typedtensors_mypy.findings import Finding
    from typedtensors_mypy.interpreter.frame import Sighting
    from typedtensors_mypy.source.modules import Module


@cache
def configured() -> Config:
    """The project's configuration. Raises ConfigError."""
    return Config.find(Path.cwd())


def _from_disk(path: str) -> bytes:
    return Path(path).read_bytes()


class TypedTensors(Plugin):
    """Summarizes each of the user's modules once it is analyzed, checks it once it is checked."""

    def __init__(
        self,
        options: Options,
        level: str | None = None,
        salt: str = "",
        read: Callable[[str], bytes] | None = None,
    ) -> None:
        """Set up one run.

        Args:
            options: mypy's.
            level: That of all modules' broadcasts, in the place of the configuration's.
            salt: What no other run has had: then no module of the user's is taken from a cache.
            read: What reads files, where that is not the disk.
        """
        super().__init__(options)
        self._config = configured() if level is None else configured().at_level(level)
        self._digest = digest(self._config) + salt
        read = read or _from_disk
        self._build = Build(options, self._config, self.lookup_fully_qualified, read)

    def set_modules(self, modules: dict[str, MypyFile]) -> None:
        """Told once the modules are known, and again after each update of a daemon."""
        super().set_modules(modules)
        self._build.modules = modules

    @property
    def said(self) -> list[tuple[str, Finding]]:
        """What was reported so far and not silenced, each with its file."""
        return self._build.said

    def look_through(self, module: Module) -> tuple[list[Sighting], dict[str, str]]:
        """What is known of each expression of a module of the run, as `Build` has it."""
        return self._build.look_through(module)

    def report_config_data(self, ctx: ReportConfigContext) -> str | None:
        """What the results of ours that are cached with the user's modules depend on.

        Nothing else is asked of plugins between the analysis of a module and its caching: what
        others may read of it becomes a part of it here.
        """
        if not is_users(ctx.path):
            return None
        if not ctx.is_check:
            self._build.summarize(ctx.id)
        return self._digest

    def get_additional_deps(self, file: MypyFile) -> list[tuple[int, str, int]]:
        """Has no dependencies to add; a daemon, which caches nothing, shows a new module here."""
        self._build.meet(file)
        return []

    def get_type_analyze_hook(
        self,
        fullname: str,  # noqa: ARG002 - any type will do
    ) -> Callable[[AnalyzeTypeContext], Type] | None:
        """Asked for each type that is written: the first one shows the build's error channel."""
        return None if self._build.can_report else self._type_is_analyzed

    def _type_is_analyzed(self, ctx: AnalyzeTypeContext) -> Type:
        self._build.see(lambda: names.errors_of_type_analyzer(ctx.api))
        # The type is mypy's own: the same analysis once more, without us.
        return ctx.api.analyze_type(ctx.type)

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
