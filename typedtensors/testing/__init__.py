# SPDX-License-Identifier: Apache-2.0
"""Test support: cases in Markdown and the pytest plugin."""
