# SPDX-License-Identifier: Apache-2.0
"""Losses, and the distances they are made of."""
