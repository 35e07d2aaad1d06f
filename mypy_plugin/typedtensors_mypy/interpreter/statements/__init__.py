# SPDX-License-Identifier: Apache-2.0
"""Going through statements."""
