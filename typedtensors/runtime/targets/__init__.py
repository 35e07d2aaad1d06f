# SPDX-License-Identifier: Apache-2.0
"""What can be decorated, besides plain functions: classes, and what stands in them."""
