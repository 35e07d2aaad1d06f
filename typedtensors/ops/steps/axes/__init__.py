# SPDX-License-Identifier: Apache-2.0
"""Axes and sizes as calls name them: by position, by pattern, in brackets, as a new shape."""
