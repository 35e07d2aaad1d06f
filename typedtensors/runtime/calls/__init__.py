# SPDX-License-Identifier: Apache-2.0
"""Checked calls: the plan made from a signature, and its application to each call."""
