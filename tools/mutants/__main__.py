# SPDX-License-Identifier: Apache-2.0
"""Make mistakes of one line in real code, and count how many of them are found.

    python -m tools.mutants FOLDER... [--count 400] [--seed 1] [--missed]

Takes the packages that `make real` has fetched, or those in other folders. Each mutant is checked
in this process: its module in full, the others by their summaries, as mypy's plugin does. A mutant
is found if its module gets an error that it has not without the mistake. Printed are how many of
the strong ones are found, by package and by kind, and, of what is missed, why its value is not
known.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from tools.mutants.collect import Mutant
from tools.mutants.measure import Package, Result
from tools.real import FOLDER

SOURCES = FOLDER / "cache" / "src"


def chosen(packages: Sequence[Package], count: int, seed: int) -> list[tuple[Package, Mutant]]:
    """Draw mutants: the same number of each kind from each package, as far as there are so many."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    pools: dict[tuple[str, str], list[tuple[Package, Mutant]]] = defaultdict(list)
    for package in packages:
        for mutant in package.mutants():
            pools[mutant.edit.kind, package.name].append((package, mutant))
    every = [pools[key] for key in sorted(pools)]
    for pool in every:
        draw.shuffle(pool)
    draw.shuffle(every)
    drawn: list[tuple[Package, Mutant]] = []
    while len(drawn) < count and any(every):
        drawn += [pool.pop() for pool in every if pool]
    return drawn[:count]


def table(title: str, results: Sequence[tuple[str, Result]]) -> None:
    """Print how many were found, for each group."""
    print(f"\n{title}")
    every, found = (
        Counter(name for name, _ in results),
        Counter(name for name, result in results if result.found),
    )
    for name, count in every.most_common():
        print(f"  {found[name]:>4} of {count:<4} {name}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="print each one that is missed")
    given = parser.parse_args(arguments)
    roots = given.roots or sorted(SOURCES.iterdir())
    start = time.process_time()
    packages = [Package(root) for root in roots]
    results = [
        (package.name, package.check(mutant))
        for package, mutant in chosen(packages, given.count, given.seed)
    ]
    strong = [(name, result) for name, result in results if result.strong]
    if given.missed:
        for name, result in strong:
            if not result.found:
                print(
                    f"{name}:{result.mutant.module}:{result.mutant.line} {result.mutant.edit.kind}"
                )
                print(f"    {result.mutant.changed}\n    {result.reason}")
    table("Strong mutants found, by package", strong)
    table("by kind", [(result.mutant.edit.kind, result) for _, result in strong])
    table("Others found", [("weak or equivalent", r) for _, r in results if not r.strong])
    print("\nWhy strong ones are missed")
    for reason, count in Counter(r.reason for _, r in strong if not r.found).most_common(40):
        print(f"  {count:>4} {reason}")
    found = sum(result.found for _, result in strong)
    print(
        f"\n{found} of {len(strong)} strong mutants found ({found / max(len(strong), 1):.0%});"
        f" {len(results)} in all, {time.process_time() - start:.0f} s CPU"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
