# SPDX-License-Identifier: Apache-2.0
"""`keras.ops` and `keras.random`: rules of other frameworks under Keras's names."""
