# SPDX-License-Identifier: Apache-2.0
"""What annotations promise, and whether values keep it."""
