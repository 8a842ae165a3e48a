"""Tags by which a browser tells whose copies of conversations it keeps."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.conversations.people.person import person_of

OWNER_HEADER: Final = "X-Owner-Tag"
_BYTES: Final = 16


class OwnerTags:
    """Makes a person's tag with `secret`: it leads neither to the person nor to a cookie, and no request carries it."""

    def __init__(self, secret: str) -> None:
        self._key = hmac.digest(secret.encode(), b"chat_ui copies", "sha256")

    def tag(self, person: str) -> str:
        """The tag of a person; empty for nobody."""
        if not person:
            return ""
        return urlsafe_b64encode(hmac.digest(self._key, person.encode(), "sha256")[:_BYTES]).rstrip(b"=").decode()


class OwnedPages:
    """ASGI middleware: each page of `app` names its owner by a tag, so that a browser drops copies of anybody else."""

    def __init__(self, app: ASGIApp, tags: OwnerTags) -> None:
        self._app = app
        self._tags = tags

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and name the owner of the page in its response."""
        tag = self._tags.tag(person_of(scope))
        if scope["type"] != "http" or not tag:
            await self._app(scope, receive, send)
            return

        async def send_with_tag(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers[OWNER_HEADER] = tag
            await send(message)

        await self._app(scope, receive, send_with_tag)
