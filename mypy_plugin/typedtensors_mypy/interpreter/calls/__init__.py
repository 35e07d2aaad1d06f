# SPDX-License-Identifier: Apache-2.0
"""Calls: of the user's functions and classes, of Python's, of the frameworks'."""
