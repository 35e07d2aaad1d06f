# SPDX-License-Identifier: Apache-2.0
"""Functions of TensorFlow, and the operators of its tensors."""
