# SPDX-License-Identifier: Apache-2.0
"""The guard for TensorFlow and Keras; importing this imports TensorFlow."""
