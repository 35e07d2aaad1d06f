# SPDX-License-Identifier: Apache-2.0
"""`python -m typedtensors`, the same as the command `typedtensors`."""

import sys

from typedtensors.cli import main

if __name__ == "__main__":
    sys.exit(main())
