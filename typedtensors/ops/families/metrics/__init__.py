# SPDX-License-Identifier: Apache-2.0
"""Metrics of torchmetrics, which compare predictions with what is right."""
