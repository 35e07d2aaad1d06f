# SPDX-License-Identifier: Apache-2.0
"""Where a mode leaves torch alone: most calls happen there, and nothing is broadcast."""
