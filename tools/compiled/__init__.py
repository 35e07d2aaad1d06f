# SPDX-License-Identifier: Apache-2.0
"""Compile the static check with mypyc: C extensions beside the modules they are made of.

`hook` is the build hook that does so when a wheel is built and it is asked for, `sources` turns the
modules into what mypyc makes fast code of, `extension` calls mypyc and the C compiler.
"""
