# SPDX-License-Identifier: Apache-2.0
"""Running pytest on a project of its own, with one of the plugins of this package."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_pytest(project: Path, plugin: str, module: str, *options: str) -> str:
    """Run the tests of a project, and return what pytest prints.

    Args:
        project: the folder.
        plugin: the name under which an installed package offers the plugin.
        module: where the plugin is, for a package that is not installed.
        options: more of the command line.
    """
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *options]
    if plugin not in {each.name for each in entry_points(group="pytest11")}:
        command += ["-p", module]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(project)])}
    done = subprocess.run(
        command, cwd=project, env=env, check=False, capture_output=True, text=True
    )
    return done.stdout + done.stderr
