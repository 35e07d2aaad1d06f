# SPDX-License-Identifier: Apache-2.0
"""The steps that rules are made of: reading axes and sizes, folding, meeting, counting windows."""
