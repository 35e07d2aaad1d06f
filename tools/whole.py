# SPDX-License-Identifier: Apache-2.0
"""Check whole libraries as if they were the user's: nothing may crash, hang, or take for ever.

Every function of every module is gone through, those included that lead to no arrays. Without
arguments these are the modules of torch and of the standard library; `python -m tools.whole
FOLDER` takes others. mypy is not needed: the interpreter reads syntax trees. Prints the time per
1,000 lines, the modules that took longest, and what was not checked.
"""

from __future__ import annotations

import argparse
import signal
import sys
import sysconfig
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import islice
from operator import attrgetter
from pathlib import Path
from types import FrameType

from typedtensors.config import Config
from typedtensors_mypy.interpreter import check_module
from typedtensors_mypy.source.modules import Module
from typedtensors_mypy.source.program import Target
from typedtensors_mypy.source.summary import summarize

# A module that takes longer than this is taken to hang.
MOST_SECONDS = 60
# A module may take this long for each 1,000 lines, on a slow and busy machine.
MOST_PER_1000 = 20.0
# mypy's own, for code that is nested deeply.
_RECURSION_LIMIT = 2**14
_SHORT = 200
# One that takes longer than this is shown at once: a whole run takes minutes.
_LONG = 2.0
_SHOWN = 10
# Not modules of anybody: files that are wrong on purpose, or for Python 2.
_NOT_CODE = frozenset({"test", "tests", "idlelib", "lib2to3", "site-packages", "__pycache__"})


@dataclass(frozen=True)
class Outcome:
    """What checking one module came to.

    Args:
        name: The module.
        lines: How long it is.
        seconds: The CPU time.
        given_up: Why functions of it were not checked, by name.
        failure: What went wrong.
    """

    name: str
    lines: int
    seconds: float
    given_up: Mapping[str, str]
    failure: str = ""

    @property
    def per_1000(self) -> float:
        """The CPU time for 1,000 lines; a short module has as good as its fair share."""
        return 1000 * self.seconds / max(self.lines, _SHORT)

    @property
    def is_slow(self) -> bool:
        """Whether it took much longer than its length explains."""
        return self.per_1000 > MOST_PER_1000


class Files:
    """The modules of some folders, as one of them sees the program."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self.paths = paths
        self.outline = cache(self._outline)

    def read(self, name: str) -> Module | None:
        """A module in full, which is not kept: all of them fill some GB."""
        path = self.paths[name]
        try:
            return Module.parse(name, str(path), path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            return None

    def _outline(self, name: str) -> Module | None:
        module = self.read(name) if name in self.paths else None
        return None if module is None else summarize(module)[1]


class View:
    """The program as one module sees it: itself in full, others by their summaries."""

    def __init__(self, files: Files, own: Module) -> None:
        self._files, self._own = files, own
        self.resolved: dict[str, Target | None] = {}

    def module(self, name: str) -> Module | None:
        """The module of a name."""
        return self._own if name == self._own.name else self._files.outline(name)

    def canonical(self, _name: str) -> str | None:
        """Nothing is known of other libraries."""
        return None


def modules(roots: Sequence[Path]) -> dict[str, Path]:
    """The path of each module in some folders or files; a folder is taken for a package."""
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            place = path.relative_to(root.parent)
            if _NOT_CODE.isdisjoint(place.parts):
                name = ".".join(place.with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    return found


def libraries() -> list[Path]:
    """Where torch and the modules of the standard library are."""
    standard = Path(sysconfig.get_paths()["stdlib"])
    torch = find_spec("torch")
    found = [] if torch is None or torch.origin is None else [Path(torch.origin).parent]
    return found + [path for path in sorted(standard.iterdir()) if _is_module(path)]


def _is_module(path: Path) -> bool:
    return path.suffix == ".py" or (path / "__init__.py").exists()


def check_all(files: Files) -> Iterator[Outcome]:
    """Check every module, and show those that take long while others still wait."""
    for name in files.paths:
        outcome = check(files, name)
        if outcome is not None:
            if outcome.seconds > _LONG or outcome.failure:
                print(f"  {outcome.seconds:6.2f} s  {outcome.name}", flush=True)
            yield outcome


def check(files: Files, name: str) -> Outcome | None:
    """Check one module in full; None if it is no Python of this version."""
    module = files.read(name)
    if module is None:
        return None
    lines = module.source.count("\n")
    start = time.process_time()
    given_up: dict[str, str] = {}
    failure = ""
    try:
        with _limit(MOST_SECONDS):
            view = View(files, module)
            check_module(module, view, Config(), whole=True, given_up=given_up)
    except Exception:  # noqa: BLE001 - that there is none is what is tested
        failure = traceback.format_exc(limit=-6)
    return Outcome(name, lines, time.process_time() - start, given_up, failure)


@contextmanager
def _limit(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the block when it takes longer."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def report(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what a run came to, in words."""
    lines = sum(outcome.lines for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    yield f"{len(outcomes)} modules, {lines} lines: {seconds:.1f} s CPU"
    yield f"{1000 * seconds / max(lines, 1):.3f} s for 1,000 lines"
    for title, key in (("longest", _seconds), ("longest for 1,000 lines", _per_1000)):
        yield f"{title}:"
        slowest = islice(sorted(outcomes, key=key, reverse=True), _SHOWN)
        yield from (f"  {key(each):6.2f} s  {each.name} ({each.lines} lines)" for each in slowest)
    for outcome in outcomes:
        yield from (f"{outcome.name}: {name}: {why}" for name, why in outcome.given_up.items())
        if outcome.failure:
            yield f"{outcome.name}: {outcome.failure}"
        elif outcome.is_slow:
            yield f"{outcome.name}: {outcome.seconds:.1f} s for {outcome.lines} lines"


_seconds = attrgetter("seconds")
_per_1000 = attrgetter("per_1000")


@contextmanager
def _as_deep_as_mypy_goes() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(_RECURSION_LIMIT)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, and print what came of it; the exit status is 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="*", type=Path, help="packages or modules to check")
    roots = parser.parse_args(arguments).roots or libraries()
    with _as_deep_as_mypy_goes():
        outcomes = list(check_all(Files(modules(roots))))
    print(*report(outcomes), sep="\n")
    return int(any(outcome.failure or outcome.is_slow for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
