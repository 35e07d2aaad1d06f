# SPDX-License-Identifier: Apache-2.0
"""Run mypy, without and with the plugin, over public packages that use jaxtyping.

The runner that fetches the packages and compares the runs is shared between projects and not part
of this repository: it is taken from `../shared/real`. The packages are downloaded into `build/`,
never committed. What the plugin finds in them is judged in `tests/real/triage.tsv`. Run it as
`make real`; arguments go to the runner: `make real ARGS="--packages inseq --all-alarms"`.

`make real ARGS="--wheel dist/typedtensors-...whl"` runs the packages with that wheel too, or with
the folder that one is unpacked in: what is compiled has to find the same. The budget for the CPU
time then holds for the wheel, which is what an index has. The times of one run vary by a fifth, and
by more on a busy machine: `--repeat 3`, which goes to the runner, takes the least of three.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from typedtensors.config import Config
from typedtensors_mypy.commands.tally import tally

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TYPEDTENSORS_SHARED", ROOT.parent / "shared"))
RUNNER = SHARED / "real" / "run_real.py"
TRIAGE = ROOT / "tests" / "real" / "triage.tsv"
FOLDER = ROOT / "build" / "real"
CONFIG = "[mypy]\nplugins = typedtensors_mypy\n"

LEAST_READ = 0.97
MOST_UNTRUE = 2 / 1000
MOST_CPU = 1.3


def modules(folder: Path, roots: list[str]) -> dict[str, str]:
    """Return the path of each module of a package."""
    found = {}
    for path in (path for root in roots for path in (folder / root).rglob("*.py")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = str(path)
    return found


def specs(folder: Path, roots: list[str]) -> tuple[int, int]:
    """Return how many shape annotations of a package are read, and how many there are."""
    count = tally([], modules(folder, roots), Config())
    return count.specs, count.written


def judged(text: str) -> dict[str, str]:
    """Return the verdict on each alarm, by its key; see the head of the file that holds them."""
    rows = csv.reader(text.splitlines(), delimiter="\t")
    return {row[0]: row[1] for row in rows if row and not row[0].startswith("#")}


def alarms(package: str, errors: list[list[Any]]) -> Iterator[str]:
    """Yield the key of each of our errors among those of a package."""
    for file, line, _column, code, *_ in errors:
        if code.startswith("tensor-"):
            yield f"{package}:{file}:{line}:{code}"


def failures(
    results: Mapping[str, Any], read: Mapping[str, tuple[int, int]], verdicts: Mapping[str, str]
) -> Iterator[str]:
    """Yield what is not as it has to be, in words; of the CPU time, see `slow`."""
    untrue = 0
    for package, result in results.items():
        yield from _broken(package, result)
        seen, written = read[package]
        if seen < LEAST_READ * written:
            yield f"{package}: of {written} shape annotations only {seen} are read"
        keys = list(alarms(package, result["plugin"]["errors"]))
        yield from (f"{key}: not judged yet" for key in keys if key not in verdicts)
        untrue += sum(verdicts.get(key) != "true" for key in keys)
    written = sum(count for _, count in read.values())
    if untrue > MOST_UNTRUE * written:
        yield f"{untrue} alarms on {written} shape annotations are not known to be true"


def ratio(results: Mapping[str, Any]) -> float:
    """Return how many times the CPU time of plain mypy all packages take with the plugin."""
    plain = sum(result["plain"]["user"] for result in results.values())
    return float(sum(result["plugin"]["user"] for result in results.values()) / plain)


def slow(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield that the plugin takes too much CPU time, if it does."""
    times = ratio(results)
    if times > MOST_CPU:
        yield f"mypy takes {times:.2f} times the CPU time with the plugin, more than {MOST_CPU}"


def differences(results: Mapping[str, Any], compiled: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a compiled plugin does not find the same, or breaks."""
    for package, result in results.items():
        if compiled is not results:
            yield from (f"the wheel: {line}" for line in _broken(package, compiled[package]))
        if compiled[package]["plugin"]["errors"] != result["plugin"]["errors"]:
            yield f"{package}: the wheel finds something else"


def _broken(package: str, result: Mapping[str, Any]) -> Iterator[str]:
    run = result["plugin"]
    if run["crash"] or run["blocked"]:
        yield f"{package}: mypy does not finish with the plugin"
    if any(error[3] == "tensor-internal" for error in run["errors"]):
        yield f"{package}: the plugin tells of a bug of its own"
    if result.get("native_gained") or result.get("native_lost"):
        yield f"{package}: mypy's own errors are not what they are without the plugin"
    if run.get("warm_differs") or run.get("warm_crash"):
        yield f"{package}: a second run over the cache says something else"


def compare(arguments: list[str], out: Path, *more: str) -> dict[str, Any]:
    """Let the runner compare the runs; its results."""
    # The runs may not write bytecode, and a user's plugin is compiled when it is installed.
    for package in ("typedtensors", "mypy_plugin/typedtensors_mypy"):
        compileall.compile_dir(ROOT / package, quiet=1)
    command = [sys.executable, str(RUNNER), "--python", sys.executable, "--config-text", CONFIG]
    command += ["--triage", str(TRIAGE), "--out", str(out)]
    for name in ("cache", "work"):
        command += [f"--{name}", str(FOLDER / name)]
    done = subprocess.run([*command, *more, *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    results: dict[str, Any] = json.loads((out / "plugin.json").read_text(encoding="utf-8"))
    return results


def unpacked(wheel: Path) -> Path:
    """Return the folder that holds what a wheel would install."""
    folder = wheel
    if not wheel.is_dir():
        folder = FOLDER / "wheel"
        shutil.rmtree(folder, ignore_errors=True)
        zipfile.ZipFile(wheel).extractall(folder)
    compileall.compile_dir(folder, quiet=1)
    return folder


def counted(results: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Print and return how many shape annotations of each package are read, and there are."""
    packages = json.loads((RUNNER.parent / "packages.json").read_text(encoding="utf-8"))
    roots = {package["name"]: package["roots"] for package in packages}
    read = {name: specs(Path(result["dir"]), roots[name]) for name, result in results.items()}
    print("\n== shape annotations read")
    for name, (seen, written) in read.items():
        print(f"{name:<20} {seen:>5} of {written}")
    return read


def main() -> int:
    """Compare, and hold the results against the budgets; the exit status is 1 if one is over."""
    if not RUNNER.is_file():
        print(f"The runner for real packages is not part of this repository: {RUNNER} is missing.")
        return 1
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--wheel", type=Path, help="a compiled wheel, or a folder that holds one")
    options, arguments = parser.parse_known_args()
    results = compiled = compare(arguments, FOLDER / "out")
    if options.wheel is not None:
        path = ("--pythonpath", str(unpacked(options.wheel)))
        compiled = compare(arguments, FOLDER / "out-wheel", *path)
    read = counted(results)
    print("\n== CPU time, in times that of plain mypy")
    print(f"{'these sources':<20} {ratio(results):>5.2f}")
    if compiled is not results:
        print(f"{'the wheel':<20} {ratio(compiled):>5.2f}")
    wrong = [
        *failures(results, read, judged(TRIAGE.read_text(encoding="utf-8"))),
        *differences(results, compiled),
        *slow(compiled),
    ]
    print("\n== verdict", *wrong or ["as it has to be"], sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
