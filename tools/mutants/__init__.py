# SPDX-License-Identifier: Apache-2.0
"""How many mistakes of one line are found in real code: `make mutants`."""
