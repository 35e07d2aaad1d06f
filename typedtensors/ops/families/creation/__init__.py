# SPDX-License-Identifier: Apache-2.0
"""Ops that make arrays of sizes and numbers."""
