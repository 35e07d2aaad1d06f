# SPDX-License-Identifier: Apache-2.0
"""Images, signals and sequences, and the windows that slide over them."""
