# SPDX-License-Identifier: Apache-2.0
"""Ops that take some of the elements."""
