# SPDX-License-Identifier: Apache-2.0
"""Ops on each element, alone or with the one that meets it."""
