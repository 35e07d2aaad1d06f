# SPDX-License-Identifier: Apache-2.0
"""Run-time checks: `@typechecked`."""
