# SPDX-License-Identifier: Apache-2.0
"""The layers of networks, and the functions behind them."""
