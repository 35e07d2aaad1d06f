# SPDX-License-Identifier: Apache-2.0
"""Reading the program around an event: whose code it is, what it says, there and before."""
