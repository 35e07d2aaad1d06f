# SPDX-License-Identifier: Apache-2.0
"""Products, inverses and decompositions."""
