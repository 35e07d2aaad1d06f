# SPDX-License-Identifier: Apache-2.0
"""Hold the compiled wheel in `dist` against the tests of what is compiled.

They are the tests of the plain sources, and run with the package that the wheel holds: so what is
found, and in which words, is the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ("tests/dims", "tests/shapes", "tests/typedtensors_mypy", "tests/runtime/calls")


def main() -> int:
    """Unpack the newest wheel for this Python and run the tests with it."""
    tag = f"cp{sysconfig.get_config_var('py_version_nodot')}-"
    wheels = sorted((ROOT / "dist").glob(f"*-{tag}*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        print(f"there is no wheel for {tag[:-1]} in {ROOT / 'dist'}")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheels[-1]).extractall(folder)
        environment = {**os.environ, "PYTHONPATH": folder, "TYPEDTENSORS_TESTED": folder}
        ask = "from typedtensors_mypy.interpreter import checking; print(checking.__file__)"
        command = [sys.executable, "-c", ask]
        done = subprocess.run(
            command, env=environment, cwd=folder, check=True, capture_output=True, text=True
        )
        if done.stdout.strip().endswith(".py"):
            print(f"nothing in {wheels[-1].name} is compiled")
            return 1
        command = [sys.executable, "-m", "pytest", "-o", f"pythonpath={folder}", *TESTS]
        return subprocess.run(
            [*command, *sys.argv[1:]], env=environment, cwd=ROOT, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
