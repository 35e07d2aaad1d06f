# SPDX-License-Identifier: Apache-2.0
"""What Keras does around the user's code: it builds, calls, weighs, reduces and wires."""
