"""Where the identity of the person behind a request is found."""

from typing import Final

PERSON_HEADER: Final = "x-chat-ui-person"
"""The header that names the person, set by `chat_ui.routes.identity` alone; absent while a browser has no cookie."""
