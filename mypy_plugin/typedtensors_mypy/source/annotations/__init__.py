# SPDX-License-Identifier: Apache-2.0
"""Annotations: what they say of shapes, in whatever way it is written."""
