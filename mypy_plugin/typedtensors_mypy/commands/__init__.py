# SPDX-License-Identifier: Apache-2.0
"""What the command `typedtensors` runs of the plugin, each in a process of its own."""
