# SPDX-License-Identifier: Apache-2.0
"""`pytest --tensor-check=PACKAGE`: the tests run with each function of the package checked.

pytest finds this module by its entry point, in every project that has this package installed: it
imports nothing before an option asks for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typedtensors.runtime.hook import ImportHook

_hooks: pytest.StashKey[ImportHook] = pytest.StashKey()
_INI = "tensor_check"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("typedtensors")
    group.addoption(
        "--tensor-check",
        action="append",
        default=[],
        metavar="PACKAGE",
        help="check the calls of each function of PACKAGE (several: a,b, or more than once)",
    )
    group.addoption(
        "--tensor-check-only",
        choices=["arrays"],
        help="with --tensor-check: say nothing of values that are no arrays",
    )
    parser.addini(_INI, "packages to check, as --tensor-check takes them", type="args", default=[])


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Hook imports before the first `conftest.py` can import a package that is to be checked."""
    packages = checked_packages(early_config)
    if not packages:
        return
    from typedtensors.runtime import UncheckedWarning, install_import_hook

    late = sorted({package for package in packages if package in sys.modules})
    if late:
        message = f"--tensor-check: already imported, so not checked: {', '.join(late)}"
        early_config.issue_config_time_warning(UncheckedWarning(message), stacklevel=2)
    only = early_config.known_args_namespace.tensor_check_only
    early_config.stash[_hooks] = install_import_hook(packages, only=only)


def checked_packages(config: pytest.Config) -> list[str]:
    """Return the packages that the command line names, else those of the configuration."""
    given: list[str] = config.known_args_namespace.tensor_check or config.getini(_INI)
    return [name.strip() for each in given for name in each.split(",") if name.strip()]


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say which packages are checked."""
    packages = checked_packages(config)
    return f"typedtensors: checks {', '.join(packages)}" if packages else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say of which packages nothing was checked, because nothing imported them."""
    hook = config.stash.get(_hooks, None)
    # The controller of pytest-xdist imports nothing: its workers do.
    if hook is None or config.pluginmanager.has_plugin("dsession"):
        return
    missing = [name for name in hook.not_found if name not in sys.modules]
    if missing:
        terminalreporter.write_line(
            f"typedtensors: nothing imported {', '.join(missing)}, so nothing of it was checked",
            yellow=True,
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave later imports alone."""
    hook = config.stash.get(_hooks, None)
    if hook is not None:
        hook.uninstall()
