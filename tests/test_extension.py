# SPDX-License-Identifier: Apache-2.0
"""What the C compiler makes of the modules."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

MODULES = {
    "inner.py": "def double(size: int) -> int:\n    return 2 * size\n",
    "outer.py": (
        "from inner import double\n\n\ndef quadruple(size: int) -> int:\n"
        "    return double(double(size))\n"
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_functions_of_an_extension_are_called_from_within_only(tmp_path: Path) -> None:
    """Python finds the modules, and nobody the functions: so calls of them need no table."""
    for name, source in MODULES.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    build = f"from tools.compiled.extension import _compile; _compile({[*MODULES]})"
    _run(tmp_path, f"import sys; sys.path.append({str(ROOT)!r}); {build}")
    for name in MODULES:
        (tmp_path / name).unlink()
    assert _run(tmp_path, "import outer; print(outer.quadruple(3))") == "12"
    (group,) = (path for path in tmp_path.glob("*mypyc*") if path.suffix in {".so", ".pyd"})
    extension = ctypes.CDLL(str(group))
    assert hasattr(extension, f"PyInit_{group.name.partition('.')[0]}")
    assert not hasattr(extension, "CPyDef_inner___double")


def _run(folder: Path, code: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
