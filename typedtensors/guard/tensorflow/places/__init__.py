# SPDX-License-Identifier: Apache-2.0
"""Where in a program an operation is: whose code the frames around it are, what the source says."""
