# SPDX-License-Identifier: Apache-2.0
"""What a source says before it is interpreted: names, annotations, modules, summaries."""
