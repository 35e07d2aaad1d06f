# SPDX-License-Identifier: Apache-2.0
"""The project's choices, read from `[tool.typedtensors]` in pyproject.toml."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from typedtensors.diagnostics.suggestion import closest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LEVELS = ("allow", "suspicious", "explicit")
TABLE = "tool.typedtensors"
_ALL = 100


class ConfigError(ValueError):
    """The configuration says something that cannot be meant; the message says what to write."""


@dataclass(frozen=True)
class Override:
    """What holds for some modules instead: the level of their broadcasts.

    A pattern is the name of a module, or `package.*` for a package and all that is in it.
    """

    modules: tuple[str, ...]
    broadcasts: str

    @classmethod
    def read(cls, table: Mapping[str, object]) -> Override:
        """The override that a TOML table writes. Raises ConfigError."""
        for key in table:
            _require_known(key, ("module", "broadcasts"))
        named = table.get("module", [])
        modules = _texts("module", [named] if isinstance(named, str) else named)
        if not modules or "broadcasts" not in table:
            raise ConfigError('"overrides" need a "module" and what holds for it: "broadcasts"')
        return cls(modules, _level(table["broadcasts"]))

    def fit(self, module: str) -> tuple[int, int]:
        """How closely it is about a module: the more, the closer; (0, 0) if it is not."""
        return max((_fit(module, pattern) for pattern in self.modules), default=(0, 0))


@dataclass(frozen=True)
class Config:
    """What is checked, and how severely.

    Invariant: every value has the type and the range its key promises; `Config.read` is the only
    way from text to here.
    """

    broadcasts: str = "suspicious"
    strict: bool = False
    min_coverage: float = 0
    allow: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()

    @classmethod
    def read(cls, table: Mapping[str, object]) -> Config:
        """The configuration that a TOML table writes. Raises ConfigError."""
        for key in table:
            _require_known(key, [field.name.replace("_", "-") for field in fields(Config)])
        return cls(
            broadcasts=_level(table.get("broadcasts", cls.broadcasts)),
            strict=_flag("strict", table.get("strict", cls.strict)),
            min_coverage=_percent("min-coverage", table.get("min-coverage", cls.min_coverage)),
            allow=_texts("allow", table.get("allow", [])),
            exclude=_texts("exclude", table.get("exclude", [])),
            overrides=tuple(map(Override.read, _tables(table.get("overrides", [])))),
        )

    @classmethod
    def find(cls, start: Path) -> Config:
        """The configuration of the nearest pyproject.toml at or above `start`, else the defaults.

        The search ends at the repository's root, as mypy's does. Raises ConfigError.
        """
        for folder in (start, *start.parents):
            path = folder / "pyproject.toml"
            if path.exists():
                return cls.load(path)
            if (folder / ".git").exists():
                break
        return cls()

    @classmethod
    def load(cls, path: Path) -> Config:
        """The configuration in one pyproject.toml. Raises ConfigError."""
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{path}: cannot be read: {error}") from error
        try:
            tools = _table(document.get("tool", {}))
            return cls.read(_table(tools.get("typedtensors", {})))
        except ConfigError as error:
            raise ConfigError(f"{path}: [{TABLE}] {error}") from None

    def excludes(self, path: str) -> bool:
        """Whether a file is not to be checked."""
        return any(_matches(path, pattern) for pattern in self.exclude)

    def level(self, module: str) -> str:
        """The level of a module's broadcasts: that of the closest override, else the project's."""
        closest = max(self.overrides, key=lambda each: each.fit(module), default=None)
        if closest is None or closest.fit(module) == (0, 0):
            return self.broadcasts
        return closest.broadcasts

    @property
    def strictest(self) -> str:
        """The strictest level of any module."""
        levels = (self.broadcasts, *(each.broadcasts for each in self.overrides))
        return max(levels, key=LEVELS.index)

    def at_level(self, level: str) -> Config:
        """The same, but with one level for all modules."""
        return replace(self, broadcasts=level, overrides=())

    def allows(self, path: str, function: str) -> bool:
        """Whether the broadcasts of a function, by its dotted name or its file, are deliberate."""
        return any(fnmatch(function, pattern) or _matches(path, pattern) for pattern in self.allow)


def _matches(path: str, pattern: str) -> bool:
    """Whether a path, or its end, is what a glob describes; a folder stands for its files."""
    path = path.replace("\\", "/")
    whole = pattern.rstrip("/")
    return any(fnmatch(path, form) for form in (whole, f"*/{whole}", f"{whole}/*", f"*/{whole}/*"))


def _fit(module: str, pattern: str) -> tuple[int, int]:
    """How closely a pattern is about a module: a name before a glob, a long one before a short."""
    if module == pattern:
        return 2, len(pattern)
    package = pattern.removesuffix(".*")
    fits = fnmatch(module, pattern) or (package != pattern and module == package)
    return (1, len(pattern)) if fits else (0, 0)


def _tables(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, list):
        return [_table(item) for item in value]
    raise ConfigError(f'"overrides" is a list of tables, not {value!r}')


def _table(value: object) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise ConfigError(f"is a table, not {value!r}")


def _require_known(key: str, known: Sequence[str]) -> None:
    if key in known:
        return
    raise ConfigError(f'unknown key "{key}"; {_advice(key, known)}')


def _level(value: object) -> str:
    if value in LEVELS:
        return str(value)
    raise ConfigError(f'"broadcasts" cannot be {value!r}; {_advice(str(value), LEVELS)}')


def _advice(written: str, known: Sequence[str]) -> str:
    match = closest(written, known)
    return f'did you mean "{match}"?' if match else f"known: {', '.join(known)}"


def _flag(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ConfigError(f'"{key}" is true or false, not {value!r}')


def _percent(key: str, value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _ALL:
        return value
    raise ConfigError(f'"{key}" is a percentage, 0 to {_ALL}, not {value!r}')


def _texts(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f'"{key}" is a list of strings, not {value!r}')
