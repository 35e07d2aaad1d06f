# SPDX-License-Identifier: Apache-2.0
"""Checks in the tests of a project: options of pytest."""
