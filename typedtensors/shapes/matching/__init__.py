# SPDX-License-Identifier: Apache-2.0
"""Matching: what the names of specs stand for, and why a shape does not fit."""
