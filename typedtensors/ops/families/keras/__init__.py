# SPDX-License-Identifier: Apache-2.0
"""Layers of Keras: a constructor that keeps its arguments, and what a call of the layer gives."""
