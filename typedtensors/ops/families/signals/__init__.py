# SPDX-License-Identifier: Apache-2.0
"""Signals: their frequencies, frames and windows."""
