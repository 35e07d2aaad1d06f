# SPDX-License-Identifier: Apache-2.0
"""Calls of what libraries define that is no op: what they give, and what they change."""
