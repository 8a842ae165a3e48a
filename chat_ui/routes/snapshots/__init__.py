"""Snapshots of conversations: the links of their owners, and the pages behind them."""
