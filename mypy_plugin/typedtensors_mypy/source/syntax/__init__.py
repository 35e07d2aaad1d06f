# SPDX-License-Identifier: Apache-2.0
"""Questions about syntax alone."""
