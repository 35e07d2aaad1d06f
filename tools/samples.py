# SPDX-License-Identifier: Apache-2.0
"""Count how the rules do on the inputs of torch's own tests, which the docs show.

Takes minutes. Prints what is wrong, if anything is, and writes nothing then.
"""

from __future__ import annotations

import sys

import torch

from tests.ops.samples.counting import count_all
from typedtensors.ops.catalog import samples


def main() -> int:
    """Count, and write the counts; the exit status is 1 if a rule is wrong."""
    # Arrays of a few elements: threads would wait for each other.
    torch.set_num_threads(1)
    found, faults = count_all()
    print("\n".join(faults), end="\n" if faults else "")
    print(samples.total(found.values()))
    if faults:
        return 1
    release = torch.__version__.partition("+")[0]
    samples.PATH.write_text(samples.write(found, release), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
