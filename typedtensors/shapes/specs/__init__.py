# SPDX-License-Identifier: Apache-2.0
"""Specs: what an annotation's text says of a shape, and the grammar it is written in."""
