"""A page without a browser: its socket in Reflex's protocol, and its state."""

import asyncio
import json
import secrets
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
from reflex.constants import Reflex
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.timeouts import TIMEOUT

ROOT = "reflex___state____state"
BACKEND = f"{ROOT}.chat_ui___backends___state___backend_choice____backend_state"
DIALOG = f"{BACKEND}.chat_ui___backends___state___backend_dialog____backend_dialog"
CHAT = f"{ROOT}.chat_ui___page___state___chat____chat_state"
SECOND_ARM = f"{ROOT}.chat_ui___features___comparing___page___state___second_column____second_column_state"
ARM_CHOICE = f"{BACKEND}.chat_ui___features___comparing___page___state___column_choice____column_choice"
ROUTER = {"pathname": "/", "asPath": "/"}
_MARKER = "_rx_state_"


class PageSocket:
    """A page. `state` has its variables by their names, and `states` has them by the full names of the states."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.state: dict[str, Any] = {}
        self.states: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self.told: list[Any] = []

    async def boot(self, storage: Mapping[str, str] | None = None, router: Any = ROUTER) -> None:
        """Connect as a page does, with its browser's storage, and wait for its start."""
        stored = {f"{name}{_MARKER}": value for name, value in (storage or {}).items()}
        event = {"name": f"{ROOT}.hydrate_and_load", "payload": {"vars": stored}, "router_data": router}
        await self.raw(f"40/_event,{json.dumps({'event': event})}")
        await self.until(lambda state: state.get("is_hydrated"))

    async def raw(self, frame: str | bytes) -> None:
        """Send one frame unchanged."""
        await self._socket.send(frame)

    async def send(self, name: str, payload: Any = None, router: Any = ROUTER) -> None:
        event = {"name": name, "payload": {} if payload is None else payload, "router_data": router}
        await self.raw(f"42/_event,{json.dumps(['event', event])}")

    async def until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Receive until the condition holds.

        Raises:
            TimeoutError: the condition did not hold in time.
            ConnectionClosed: the server closed the socket before.
        """
        async with asyncio.timeout(TIMEOUT):
            while not condition(self.state):
                await self.take()
        return self.state

    async def take(self) -> str:
        """The next frame of the server."""
        frame = str(await self._socket.recv())
        self.told.append(frame)
        kind, *rest = json.loads(frame.removeprefix("42/_event,")) if frame.startswith("42/_event,") else ("",)
        if kind == "event":
            for state, changes in (rest[0].get("delta") or {}).items():
                told = {name.removesuffix(_MARKER): value for name, value in changes.items()}
                self.states[state].update(told)
                # The second column has variables of the same names.
                if state != SECOND_ARM:
                    self.state.update(told)
        return frame

    async def hear(self) -> None:
        """Receive until the server has handled all events sent before."""
        before = self.state.get("pongs", 0)
        await self.send(f"{CHAT}.ping")
        await self.until(lambda state: state.get("pongs", 0) > before)

    async def do(
        self, name: str, payload: Any = None, until: Callable[[dict[str, Any]], Any] | None = None, router: Any = ROUTER
    ) -> dict[str, Any]:
        """Send an event, and receive until the condition holds or the server has handled the event."""
        await self.send(name, payload, router)
        if until is not None:
            return await self.until(until)
        await self.hear()
        return self.state

    async def until_closed(self) -> None:
        """Receive until the server closes the socket."""
        async with asyncio.timeout(TIMEOUT):
            try:
                while True:
                    await self.take()
            except ConnectionClosed:
                return


async def new_cookie(url: str) -> str:
    """The cookie of a new browser."""
    async with httpx2.AsyncClient(verify=False) as client:
        return (await client.get(url)).headers["set-cookie"].partition(";")[0]


@asynccontextmanager
async def page_socket(
    url: str, cookie: str = "", token: str = "", headers: Mapping[str, str] | None = None, *, source: str = "127.0.0.1"
) -> AsyncIterator[PageSocket]:
    """An open socket with that cookie and token, from the address `source`.

    Raises:
        websockets.exceptions.InvalidStatus: the server refused it.
    """
    address = urlsplit(url)
    query = urlencode({"token": token or secrets.token_hex(16), "EIO": "4", "transport": "websocket"})
    async with connect(
        f"ws://127.0.0.1:{address.port}/_event/?{query}",
        additional_headers={**({"Cookie": cookie} if cookie else {}), **(headers or {})},
        subprotocols=[Subprotocol(Reflex.VERSION)],
        compression=None,
        ping_interval=None,
        open_timeout=TIMEOUT,
        max_size=None,
        local_addr=(source, 0),
    ) as socket:
        await socket.recv()
        yield PageSocket(socket)


@asynccontextmanager
async def booted(url: str, *opening: Any, **more: Any) -> AsyncIterator[PageSocket]:
    """A socket of a started page, opened as by `page_socket`."""
    async with page_socket(url, *opening, **more) as page:
        await page.boot()
        yield page
