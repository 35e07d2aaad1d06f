# SPDX-License-Identifier: Apache-2.0
"""A run without data: sizes are what annotations call them, and no two names have one size."""
