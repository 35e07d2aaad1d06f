# SPDX-License-Identifier: Apache-2.0
"""What annotations call the axes of TensorFlow's tensors, and what its operations make of it."""
