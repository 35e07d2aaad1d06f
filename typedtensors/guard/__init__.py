# SPDX-License-Identifier: Apache-2.0
"""The guard: stops at a broadcast nobody asked for."""
