# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of tensors, and what becomes of the names."""
