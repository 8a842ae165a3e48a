"""The addresses of this server: of its pages, of what its pages fetch, and of its demo backend."""

from __future__ import annotations

from typing import Final

CONVERSATION: Final = "/c"
"""`/c/ID` is the page of one conversation."""
ANSWERS: Final = "/api/answers"
ATTACHMENTS: Final = "/api/attachments"
CONVERSATIONS: Final = "/api/conversations"
DEMO: Final = "/demo"
