# SPDX-License-Identifier: Apache-2.0
"""Losses and metrics of Keras: what they compare, and what they come to."""
