# SPDX-License-Identifier: Apache-2.0
"""Rules over images and signals: convolutions, windows, padding, resizing."""
