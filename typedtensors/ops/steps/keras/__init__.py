# SPDX-License-Identifier: Apache-2.0
"""What rules of Keras share: layers, losses, metrics, and the ops under `keras.ops`."""
