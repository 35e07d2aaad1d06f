# SPDX-License-Identifier: Apache-2.0
"""`pytest --tensor-guard=LEVEL`: each test runs under a guard, and fails at its first finding.

At the end it says which dims of checked functions no test could tell apart. It imports nothing
before the option asks for it.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from typedtensors.guard import Guard

_guard: pytest.StashKey[Guard] = pytest.StashKey()
_INI = "tensor_guard"
_LEVELS = ("suspicious", "explicit", "allow")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.getgroup("typedtensors").addoption(
        "--tensor-guard",
        choices=_LEVELS,
        metavar="LEVEL",
        help="run each test under a guard: suspicious, explicit, or allow for none",
    )
    parser.addini(_INI, "the level of --tensor-guard", default="allow")


def pytest_configure(config: pytest.Config) -> None:
    """Make the guard of the tests, unless it allows everything."""
    level = config.getoption("--tensor-guard") or config.getini(_INI)
    if level not in _LEVELS:
        message = f"{_INI} = {level!r}: use one of {', '.join(_LEVELS)}"
        raise pytest.UsageError(message)
    if level != "allow":
        from typedtensors.cli.run import allowed_by
        from typedtensors.config import Config
        from typedtensors.guard import Guard

        found = Config.find(config.rootpath).at_level(level)
        config.stash[_guard] = Guard(level, "raise", allowed_by(found))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test under the guard; not its fixtures, which are shared.

    What a guard raises, this one or one that the test enters, ends where the program broadcasts.
    """
    guard = item.config.stash.get(_guard, None)
    try:
        with nullcontext() if guard is None else guard:
            return (yield)
    except Exception as error:
        if not item.config.getoption("fulltrace"):
            _hide_what_is_ours(error)
        raise


def _hide_what_is_ours(error: Exception) -> None:
    """Leave out the frames of torch and of the guard, below that of the event."""
    event, frame = getattr(error, "event", None), error.__traceback__
    file, last = getattr(event, "file", None), None
    while file is not None and frame is not None:
        last = frame if frame.tb_frame.f_code.co_filename == file else last
        frame = frame.tb_next
    if last is not None:
        last.tb_next = None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say which dims had equal sizes in every call."""
    guard = config.stash.get(_guard, None)
    equal = guard.report.equal_sizes if guard is not None else ()
    if equal:
        terminalreporter.section("sizes that the tests cannot tell apart")
        for each in equal:
            terminalreporter.line(str(each))
