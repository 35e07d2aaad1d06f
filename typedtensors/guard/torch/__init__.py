# SPDX-License-Identifier: Apache-2.0
"""The guard for torch. Loaded when a guard is entered: it imports torch."""
