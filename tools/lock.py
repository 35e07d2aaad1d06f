# SPDX-License-Identifier: Apache-2.0
"""Pin the development requirements: one lock for every supported Python.

pip resolves each `.in` file without installing it, once for the oldest Python we support and
once for the one the lock is mainly for. A pin on which both agree is written plainly, the
others with a marker. What torch's own wheels pin exactly (CUDA, Triton) is left to them,
because it differs between builds of torch.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, MAIN = "3.10", "3.11"
LEFT_TO_TORCH = ("cuda-", "nvidia-", "triton")


def resolve(python: str, *requirements: str) -> dict[str, str]:
    """Return the version pip would install for each package."""
    interpreter = shutil.which(f"python{python}")
    if interpreter is None:
        sys.exit(f"python{python} is needed to write the lock")
    command = [interpreter, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    command += ["--report", "-"]
    for name in requirements:
        command += ["--requirement", str(ROOT / name)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    report = json.loads(answer.stdout)
    pins = {item["metadata"]["name"]: item["metadata"]["version"] for item in report["install"]}
    return {
        name: version.partition("+")[0]  # a local build of torch is still that version
        for name, version in pins.items()
        if not name.startswith(LEFT_TO_TORCH)
    }


def lines(oldest: dict[str, str], main: dict[str, str]) -> list[str]:
    """Merge two resolutions, with a marker wherever they differ."""
    merged = []
    for name in sorted({*oldest, *main}, key=str.lower):
        if oldest.get(name) == main.get(name):
            merged.append(f"{name}=={main[name]}")
            continue
        for pins, marker in ((oldest, "<"), (main, ">=")):
            if name in pins:
                merged.append(f'{name}=={pins[name]} ; python_version {marker} "{MAIN}"')
    return merged


def write(lock: str, pins: list[str]) -> None:
    """Write a lock file with its origin."""
    header = f"# Written by `make lock` from {lock.replace('.lock', '.in')}."
    (ROOT / lock).write_text("\n".join([header, *pins, ""]))


def main() -> None:
    """Write both locks."""
    dev = lines(*(resolve(python, "requirements-dev.in") for python in (OLDEST, MAIN)))
    both = ("requirements-dev.in", "requirements-docs.in")
    docs = lines(*(resolve(python, *both) for python in (OLDEST, MAIN)))
    write("requirements-dev.lock", dev)
    write("requirements-docs.lock", [pin for pin in docs if pin not in dev])


if __name__ == "__main__":
    main()
