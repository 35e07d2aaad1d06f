# SPDX-License-Identifier: Apache-2.0
"""Programs from source texts, so that the interpreter is tested without mypy."""

from __future__ import annotations

from collections.abc import Mapping

from typedtensors.config import Config
from typedtensors_mypy.findings import Finding
from typedtensors_mypy.interpreter import check_module
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import Target
from typedtensors_mypy.source.summary import read_summary, summarize


class Sources:
    """A program of modules by name; libraries are known by the names they are reached by."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.resolved: dict[str, Target | None] = {}
        self._modules = {
            name: parsed
            for name, source in files.items()
            if (parsed := Module.parse(name, f"{name.replace('.', '/')}.py", source)) is not None
        }

    def module(self, name: str) -> Module | None:
        return self._modules.get(name)

    def canonical(self, name: str) -> str | None:  # noqa: ARG002 - nothing is known of libraries
        return None


def findings(source: str, config: Config | None = None) -> list[Finding]:
    """What the interpreter tells of a module."""
    program = Sources({"main": source})
    module = program.module("main")
    assert module is not None, "the source is not Python"
    return check_module(module, program, config or Config())


def findings_across(files: Mapping[str, str], *, cached: bool) -> list[Finding]:
    """What the interpreter tells of modules that see each other by their summaries alone.

    `cached` summaries are read from their texts; others are the trees that were just made.
    """
    whole = Sources(files)
    read = {name: module for name in files if (module := whole.module(name)) is not None}
    summaries = {}
    for name, module in read.items():
        text, outline = summarize(module)
        seen = read_summary(name, text) if cached else outline
        if text and seen is not None:
            summaries[name] = seen
    return [
        finding
        for name, module in read.items()
        for finding in check_module(module, _Seen(module, summaries), Config())
    ]


class _Seen(Sources):
    """A program as one of its modules sees it: itself in full, the others by their summaries."""

    def __init__(self, own: Module, summaries: Mapping[str, Module]) -> None:
        super().__init__({})
        self._modules = {**summaries, own.name: own}
