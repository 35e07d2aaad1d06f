# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of arrays, and what becomes of the names, in any framework."""
