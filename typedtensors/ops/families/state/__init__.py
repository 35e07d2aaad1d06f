# SPDX-License-Identifier: Apache-2.0
"""What arrays tell of their memory, device, layout and gradient."""
