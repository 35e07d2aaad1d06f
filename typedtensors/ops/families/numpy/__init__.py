# SPDX-License-Identifier: Apache-2.0
"""Functions of NumPy that torch has not, or has with other arguments."""
