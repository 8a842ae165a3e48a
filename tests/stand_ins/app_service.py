"""Azure App Service in front of the app. It signs every browser in as one person, or out."""

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from tests.stand_ins.connections import accepting, pass_on

_KEPT_OPEN = re.compile(rb"\r\nconnection: keep-alive", re.IGNORECASE)


class AppService:
    """The first token needs a renewal after a second."""

    def __init__(self, port: int, app_port: int) -> None:
        self.port, self._app_port = port, app_port
        self.person, self.renewals = "Anna", 0
        self.brought = 0
        """The renewals whose token the app has got."""
        self._ends = datetime.now(UTC) + timedelta(seconds=301)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with accepting(self.serve, self.port):
            yield

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
        target = urlsplit(head.split(b" ")[1].decode())
        if target.path.startswith("/.auth/"):
            body = json.dumps(self._answer(target.path))
            to = next(iter(parse_qs(target.query).values()), [""])[0]
            first = f"302 Found\r\nLocation: {to}" if to else "200 OK"
            writer.write(f"HTTP/1.1 {first}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
            await writer.drain()
            return
        app_reader, app_writer = await asyncio.open_connection("127.0.0.1", self._app_port)
        renewals = self.renewals
        app_writer.write(_KEPT_OPEN.sub(b"\r\nConnection: close", head) + self._headers().encode() + b"\r\n\r\n")
        await asyncio.gather(pass_on(reader, app_writer), pass_on(app_reader, writer))
        self.brought = max(self.brought, renewals)

    def _answer(self, path: str) -> object:
        match path:
            case "/.auth/login/aad":
                self.person = "Anna"
            case "/.auth/logout":
                self.person = ""
            case "/.auth/refresh":
                self.renewals += 1
                self._ends = datetime.now(UTC) + timedelta(hours=1)
        claims = [{"typ": "name", "val": f"{self.person} Example"}]
        return [{"expires_on": self._time(), "user_claims": claims}] if self.person else []

    def _headers(self) -> str:
        claims = base64.urlsafe_b64encode(json.dumps({"sub": f"Token {self.renewals}"}).encode()).decode()
        token = f"TOKEN-AAD-ACCESS-TOKEN: .{claims}.", f"TOKEN-AAD-EXPIRES-ON: {self._time()}"
        named = ("CLIENT-PRINCIPAL-ID: an id", *token) if self.person else ()
        return "".join(f"\r\nX-MS-{one}" for one in named)

    def _time(self) -> str:
        return f"{self._ends:%Y-%m-%dT%H:%M:%S.%f}0Z"
