# SPDX-License-Identifier: Apache-2.0
"""Ops along some axes: folded into one value, put in order, made to sum to one."""
