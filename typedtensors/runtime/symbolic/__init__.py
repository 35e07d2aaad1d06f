# SPDX-License-Identifier: Apache-2.0
"""Arrays that do not tell all of their sizes, as TensorFlow's in a graph."""
