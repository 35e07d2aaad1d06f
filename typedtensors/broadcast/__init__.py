# SPDX-License-Identifier: Apache-2.0
"""Explicit broadcasts: `align`, `expand_as`, `sizes`, `check`."""
