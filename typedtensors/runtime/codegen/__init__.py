# SPDX-License-Identifier: Apache-2.0
"""From a plan to straight-line Python that says yes, or leaves the call to the full check."""
