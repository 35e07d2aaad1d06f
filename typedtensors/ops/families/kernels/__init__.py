# SPDX-License-Identifier: Apache-2.0
"""What the functions of torch that people call are made of."""
