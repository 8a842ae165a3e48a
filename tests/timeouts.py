"""How long is waited for what comes at once on a machine that is not busy."""

from typing import Final

TIMEOUT: Final = 120.0
"""Seconds. A test that fails by the clock says something of the machine, so they are many; none that passes waits for
them.
"""
