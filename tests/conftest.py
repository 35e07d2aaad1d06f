# SPDX-License-Identifier: Apache-2.0
"""Settings that every test shares."""

from __future__ import annotations

import os

from hypothesis import settings

# Arrays of a few elements: threads that wait for each other cost more than the work, and on a busy
# machine many times more. Set before anything imports torch, and for the processes tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine makes a deadline lie, so there is none anywhere. CI draws the same examples
# each time: a red build then stays red until its cause is found.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
