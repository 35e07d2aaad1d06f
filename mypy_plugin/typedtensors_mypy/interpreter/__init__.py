# SPDX-License-Identifier: Apache-2.0
"""The interpreter: goes through a module's syntax with shapes for values, and tells of mistakes.

It knows nothing of mypy and runs nothing of the user's. Its rooms, from the outside in: `checking`
(a module), `functions`, `statements`, `expressions`, `calls`, `ops` (the rules' side), and the
pure values and decisions in `values`, `state`, `refinement`, `iteration`.
"""

from typedtensors_mypy.interpreter.checking import check_module

__all__ = ["check_module"]
