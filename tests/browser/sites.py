"""TLS sites on one loopback port: the app behind a proxy that ends TLS, and pages of other sites."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from tests.certificates import self_signed
from tests.stand_ins.connections import accepting, pass_on
from tests.stand_ins.stand_in import in_thread

CHAT = "chat.test"
_HOST = re.compile(rb"\r\nhost: ([\w.]+)", re.IGNORECASE)
_KEPT_OPEN = re.compile(rb"\r\nconnection: keep-alive", re.IGNORECASE)


class Sites:
    """The app on `app_port` at `https://chat.test:PORT`, and `pages` at every other name."""

    def __init__(self, port: int, app_port: int) -> None:
        self.port = port
        self._app_port = app_port
        self.pages: dict[str, tuple[str, str]] = {}
        """The policy and the HTML of a page, by its name."""

    def url(self, name: str) -> str:
        return f"https://{name}:{self.port}"

    @asynccontextmanager
    async def running(self, *, tls: ssl.SSLContext) -> AsyncIterator[None]:
        async with accepting(self.serve, self.port, tls):
            yield

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
        named = _HOST.search(head)
        name = named[1].decode() if named else ""
        if name == CHAT:
            head = _KEPT_OPEN.sub(b"\r\nConnection: close", head) + b"\r\nX-Forwarded-Proto: https\r\n\r\n"
            app_reader, app_writer = await asyncio.open_connection("127.0.0.1", self._app_port)
            app_writer.write(head)
            await asyncio.gather(pass_on(reader, app_writer), pass_on(app_reader, writer))
        else:
            policy, html = self.pages.get(name, ("", ""))
            answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Security-Policy: {policy}\r\n"
            writer.write(f"{answer}Content-Length: {len(html)}\r\nConnection: close\r\n\r\n{html}".encode())
            await writer.drain()


@contextmanager
def serving_sites(folder: Path, port: int, app_port: int) -> Iterator[Sites]:
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(*self_signed(folder, "DNS:*.test"))
    with in_thread(Sites(port, app_port), tls=tls) as sites:
        yield sites
