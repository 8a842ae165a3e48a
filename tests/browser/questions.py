"""Questions that the demo backend answers."""

from __future__ import annotations

LEAVE = "How much parental leave do I get?"
LONG = "Show me everything Markdown can do"
