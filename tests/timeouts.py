"""The timeout of conditions that hold at once on an idle machine."""

from typing import Final

TIMEOUT: Final = 120.0
"""Seconds. They are many, since a timeout says more about the machine than about the code. A passing test does not wait
for them.
"""
