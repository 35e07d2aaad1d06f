# SPDX-License-Identifier: Apache-2.0
"""Arrays at run time: their sizes, what their axes are called, and which were placed on purpose."""
