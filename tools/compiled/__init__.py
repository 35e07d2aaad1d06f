# SPDX-License-Identifier: Apache-2.0
"""Compile the static check with mypyc: C extensions beside the modules they are made of.

`hook` is the build hook that does so when a wheel is built and it is asked for, `written_out` what
the modules are turned into first, `extension` calls mypyc and the C compiler.
"""
