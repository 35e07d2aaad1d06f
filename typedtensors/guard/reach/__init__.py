# SPDX-License-Identifier: Apache-2.0
"""How far a guard reaches: frameworks, modules loaded later, threads, worker processes."""
