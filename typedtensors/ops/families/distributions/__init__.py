# SPDX-License-Identifier: Apache-2.0
"""Rules over probability distributions: batches of them, and the events they are over."""
