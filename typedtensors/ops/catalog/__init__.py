# SPDX-License-Identifier: Apache-2.0
"""What can be told of the rules: for the command, the docs, and who wants to add one."""
