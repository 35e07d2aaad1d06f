# SPDX-License-Identifier: Apache-2.0
"""Type hints: resolved from annotations, parsed into a tree, compared with values."""
