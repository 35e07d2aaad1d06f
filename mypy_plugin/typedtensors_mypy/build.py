# SPDX-License-Identifier: Apache-2.0
"""One run of mypy, as the plugin sees it: modules come in, summaries and findings go out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from typedtensors.diagnostics import wording
from typedtensors_mypy import names
from typedtensors_mypy.daemon import Daemon
from typedtensors_mypy.findings import Finding, Place
from typedtensors_mypy.interpreter import check_module
from typedtensors_mypy.interpreter.frame import Sighting
from typedtensors_mypy.report import report
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.summary import read_summary, summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy.errors import Errors
    from mypy.nodes import MypyFile, SymbolTableNode
    from mypy.options import Options

    from typedtensors.config import Config
    from typedtensors_mypy.source.program import Target

_SYMBOL = "__typedtensors__"
_LIBRARY_FOLDERS = frozenset({"site-packages", "dist-packages", "typeshed"})


def is_users(path: str | None) -> bool:
    """Whether a file is the user's own code: no library, no stub, nothing typed on a command."""
    if not path or not path.endswith(".py"):
        return False
    return _LIBRARY_FOLDERS.isdisjoint(path.replace("\\", "/").split("/"))


class Build:
    """Carries what the hooks of one run share.

    `said` holds what was reported and not silenced, each with its file.
    """

    def __init__(
        self,
        options: Options,
        config: Config,
        look_up: Callable[[str], SymbolTableNode | None],
        read: Callable[[str], bytes],
    ) -> None:
        self.modules: Mapping[str, MypyFile] = {}
        self._options = options
        self._config = config
        self._look_up = look_up
        self._read = read
        self._errors: Errors | None = None
        self._summaries: dict[str, tuple[str, Module | None]] = {}
        self._parsed: dict[str, tuple[MypyFile, Module]] = {}
        self._failed: dict[str, Finding] = {}
        self.said: list[tuple[str, Finding]] = []
        self._daemon = Daemon(_SYMBOL, look_up) if names.tracks_dependencies(options) else None

    def see(self, find: Callable[[], Errors | None]) -> None:
        """Remember the error channel, if it is not known yet and `find` finds it."""
        if self._errors is None:
            self._errors = find()

    @property
    def can_report(self) -> bool:
        """Whether the error channel is known."""
        return self._errors is not None

    def meet(self, file: MypyFile) -> None:
        """Summarize a module of a daemon's before it is analyzed.

        The daemon compares what a module has after an edit with what it had before: so it checks
        the readers again if the summary has changed, and not after every edit.
        """
        if self.modules and names.is_daemon(self._options):
            self._summarize(file)

    def summarize(self, name: str) -> None:
        """Make the summary of a module a part of it."""
        file = self.modules.get(name)
        if file is not None:
            self._summarize(file)

    def _summarize(self, file: MypyFile) -> None:
        if _SYMBOL in file.names or not is_users(file.path):
            return
        str_type = names.str_type(self._look_up)
        if str_type is None:
            return
        text = ""
        try:
            module = self._parse(file)
            if module is not None:
                self._parsed[file.fullname] = file, module
                text, outline = summarize(module)
                self._summaries[file.fullname] = text, outline
        except Exception as error:  # noqa: BLE001 - the one door: a bug of ours ends no run
            self._failed[file.fullname] = _failure(error, f"summarizing {file.fullname}")
        names.add_text_symbol(file, _SYMBOL, text, str_type)

    def check(self, file: MypyFile) -> set[str]:
        """Report what is wrong in a module; the names of the modules that this rests on."""
        consulted = self._check(file)
        if self._daemon is not None and self._errors is not None and names.is_daemon(self._options):
            self._daemon.repeat(self._errors)
        return consulted

    def _check(self, file: MypyFile) -> set[str]:
        if file.is_stub or not is_users(file.path) or self._config.excludes(file.path):
            return set()
        module = self._parse(file)
        if module is None or self._errors is None:
            return set()
        view = _View(self, module)
        try:
            findings = check_module(module, view, self._config)
        except Exception as error:  # noqa: BLE001 - the one door: a bug of ours ends no run
            self._failed[file.fullname] = _failure(error, f"checking {file.fullname}")
            findings = []
        if file.fullname in self._failed:
            findings = [*findings, self._failed.pop(file.fullname)]
        options = names.module_options(self._options, file.fullname, module.source)
        said = report(self._errors, file, options, findings)
        heard = {(info.line, info.message) for info in said}
        self.said += [(file.path, f) for f in findings if (f.place.line, f.text) in heard]
        if self._daemon is not None:
            self._daemon.checked(file, view.asked, said)
        return view.consulted

    def look_through(self, module: Module) -> tuple[list[Sighting], dict[str, str]]:
        """What is known of each expression of a module, and why functions are not checked."""
        sightings: list[Sighting] = []
        given_up: dict[str, str] = {}
        try:
            check_module(module, _View(self, module), self._config, sightings, given_up=given_up)
        except Exception as error:  # noqa: BLE001 - the check of the module has told of it
            given_up[module.name] = _failure(error, f"checking {module.name}").text
        return sightings, given_up

    def _parse(self, file: MypyFile) -> Module | None:
        """The module of a file; one that was parsed for its summary is handed out once more.

        A daemon reads an edited file into a tree of its own, and puts that into the place of the
        first: so a tree that is not the summarized one may be of the same text.
        """
        summarized, module = self._parsed.pop(file.fullname, (None, None))
        if summarized is file:
            return module
        self.see(lambda: names.errors_of_checker(file))
        if self._errors is None:
            return None
        path = names.shadow_of(self._options, file.path)
        source = names.read_source(self._errors, path, self._read)
        if source is None:
            return None
        is_known = module is not None and module.source == source
        return module if is_known else Module.parse(file.fullname, file.path, source)

    def summary(self, name: str) -> Module | None:
        """A module of the user's, as its summary tells of it."""
        if name not in self.modules:
            return None
        # One that is not cached, or not yet, has a summary as soon as somebody reads it.
        self.summarize(name)
        text = names.text_of_symbol(self._look_up(f"{name}.{_SYMBOL}"))
        if not text:
            return None
        if name not in self._summaries or self._summaries[name][0] != text:
            self._summaries[name] = text, read_summary(name, text)
        return self._summaries[name][1]

    def canonical(self, name: str) -> str | None:
        """The full name of the definition behind a library's name."""
        symbol = self._look_up(name)
        return symbol.fullname if symbol is not None else None


class _View:
    """The program as one module sees it: itself in full, others by their summaries."""

    def __init__(self, build: Build, own: Module) -> None:
        self._build = build
        self._modules: dict[str, Module | None] = {own.name: own}
        self.resolved: dict[str, Target | None] = {}

    @property
    def asked(self) -> list[str]:
        """The names of other modules that were looked for, found or not."""
        _own, *others = self._modules
        return others

    @property
    def consulted(self) -> set[str]:
        """The other modules that were read."""
        return {name for name in self.asked if self._modules[name] is not None}

    def module(self, name: str) -> Module | None:
        if name not in self._modules:
            self._modules[name] = self._build.summary(name)
        return self._modules[name]

    def canonical(self, name: str) -> str | None:
        return self._build.canonical(name)


def _failure(error: Exception, doing: str) -> Finding:
    """What to tell of a bug of ours; in our own tests it is raised instead."""
    if os.environ.get("TYPEDTENSORS_DEBUG"):
        raise error
    return Finding.error(Place(1, 0, 1, 1), wording.internal(error, doing))
