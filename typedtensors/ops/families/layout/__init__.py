# SPDX-License-Identifier: Apache-2.0
"""Ops that give the same elements another shape or order."""
