# SPDX-License-Identifier: Apache-2.0
"""The mypy plugin: tensor shapes, checked after mypy has checked the module."""
