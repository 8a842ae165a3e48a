"""People as sockets: each loads the page, speaks Reflex's socket protocol, asks, and reads the event stream."""

from __future__ import annotations

import asyncio
import html
import json
import re
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from reflex.constants import Reflex
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.servers import Backend
from tests.stand_ins.paced import SOURCE

CHAT = "reflex___state____state.chat_ui___page___state___chat____chat_state"
BACKEND = "reflex___state____state.chat_ui___backends___state___backend_choice____backend_state"
DIALOG = f"{BACKEND}.chat_ui___backends___state___backend_dialog____backend_dialog"
STAMP = re.compile(r"\bt(\d{13})\b")
TAG = re.compile(r"<[^>]*>")
ROUTER = {"pathname": "/", "asPath": "/"}


class WrongAnswerError(Exception):
    """A received answer differs from the backend's."""


class RefusedError(Exception):
    """The server refused a question; the message is the page's."""


@dataclass
class Reading:
    """A received answer: settled and open HTML of each block, time stamps with their arrival (`time.time()`) and age in
    seconds, and the bytes received.
    """

    settled: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    delays: list[tuple[float, float]] = field(default_factory=list)
    received: int = 0
    newest: float = 0.0
    frame: int = 0

    def take(self, number: int | None, changes: list[list[Any]], now: float) -> None:
        """Apply a frame of changes; parts of a snapshot are not numbered.

        Raises:
            WrongAnswerError: the frame does not follow the one before.
        """
        if number is None:
            number = 0
        elif self.frame and number != self.frame + 1:
            raise WrongAnswerError(f"frame {number} came after {self.frame}")
        self.frame = number
        for index, *change in changes:
            if not change:
                del self.settled[index:], self.opened[index:]
                continue
            kept, added, *depth = change
            if index == len(self.opened):
                self.settled.append("")
                self.opened.append("")
            if kept < 0:
                self.settled[index] = ""
            self.opened[index] = self.opened[index][: max(kept, 0)] + added
            if depth:
                self.settled[index] += self.opened[index]
                self.opened[index] = ""
            for stamp in STAMP.findall(added):
                if (written := int(stamp) / 1000) > self.newest:
                    self.newest = written
                    self.delays.append((now, now - written))

    def words(self) -> list[str]:
        """The text as displayed, word by word."""
        blocks = (settled + opened for settled, opened in zip(self.settled, self.opened, strict=True))
        return html.unescape(TAG.sub("", " ".join(blocks))).split()


class Person:
    """A person with a tab."""

    def __init__(self, url: str) -> None:
        self._host, self._port = urlsplit(url).hostname or "", urlsplit(url).port or 80
        self._cookie = ""
        self._socket: ClientConnection
        self._token = secrets.token_hex(16)
        self._begun: set[str] = set()

    async def arrive(self) -> None:
        """Load the page and connect to its socket like a browser, and wait until the page would be interactive."""
        async with asyncio.timeout(60):
            head, _ = await self._get("/")
            found = re.search(r"set-cookie: ([^;]+)", head, re.IGNORECASE)
            self._cookie = found.group(1) if found else self._cookie
            self._socket = await connect(
                f"ws://{self._host}:{self._port}/_event/?token={self._token}&EIO=4&transport=websocket",
                additional_headers={"Cookie": self._cookie, "Origin": f"http://{self._host}:{self._port}"},
                subprotocols=[Subprotocol(Reflex.VERSION)],
                compression=None,
                ping_interval=None,
                max_size=None,
            )
            await self._socket.recv()
            boot = {"name": "reflex___state____state.hydrate_and_load", "payload": {}, "router_data": ROUTER}
            await self._socket.send(f"40/_event,{json.dumps({'event': boot})}")
            async for delta in self._deltas():
                if delta.get("reflex___state____state", {}).get("is_hydrated_rx_state_"):
                    return

    async def use(self, backend: Backend) -> None:
        """Set the backend in the dialog, and save."""
        for event, payload in (
            ("open_dialog", {}),
            ("set_url", {"url": backend.url}),
            ("save", {"form": {}}),
        ):
            await self._emit(f"{DIALOG}.{event}", payload)
        async for delta in self._deltas():
            if delta.get(DIALOG, {}).get("is_open_rx_state_") is False:
                return

    async def ask(self, question: str) -> Reading:
        """Ask, and read the answer to its end."""
        following = asyncio.create_task(self.read(await self.begin(question)))
        await self.see_the_end()
        return await following

    async def begin(self, question: str) -> str:
        """Ask, and return the address of the streaming answer.

        Raises:
            RefusedError: the server refused the question.
        """
        await self._emit(f"{CHAT}.ask", {"question": question})
        async for chat in self._chat():
            if refusal := chat.get("refusal_rx_state_"):
                raise RefusedError(refusal)
            # The page may still have the previous answer.
            if (address := _live(chat)) and address not in self._begun:
                self._begun.add(address)
                return address
        raise WrongAnswerError("the socket was closed")

    async def see_the_beginning(self, wanted: str) -> None:
        """Wait until the page has the address of the streaming answer."""
        async for chat in self._chat():
            if _live(chat) == wanted:
                return

    async def see_the_end(self) -> None:
        """Wait until the page has the end of the answer."""
        async for chat in self._chat():
            latest = chat.get("latest_rx_state_", {})
            if latest and not latest["live"]:
                return

    async def stop(self) -> None:
        """Stop the current answer."""
        await self._emit(f"{CHAT}.stop", {})

    def tab(self, url: str) -> Person:
        """Another tab of the same browser, not yet open, at another server with the same people."""
        opened = Person(url)
        opened._cookie, opened._begun = self._cookie, self._begun
        return opened

    async def stay(self) -> None:
        """Keep the tab open, answering the server's pings, until cancelled."""
        async for _ in self._deltas():
            pass

    async def leave(self) -> None:
        await self._socket.close()

    async def _emit(self, name: str, payload: dict[str, Any]) -> None:
        event = {"name": name, "payload": payload, "router_data": ROUTER}
        await self._socket.send(f"42/_event,{json.dumps(['event', event])}")

    async def _chat(self) -> AsyncIterator[dict[str, Any]]:
        """The updates of the conversation's state."""
        async for delta in self._deltas():
            yield delta.get(CHAT, {})

    async def _deltas(self) -> AsyncIterator[dict[str, Any]]:
        async for packet in self._socket:
            if packet == "2":
                await self._socket.send("3")
            elif isinstance(packet, str) and packet.startswith("42/_event,"):
                name, body = json.loads(packet.removeprefix("42/_event,"))
                if name == "event" and body.get("delta"):
                    yield body["delta"]

    async def read(self, address: str) -> Reading:
        reading = Reading()
        reader, writer = await self._request(f"{address}/stream")
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        if " 200 " not in head.partition("\r\n")[0]:
            raise WrongAnswerError(head.partition("\r\n")[0])
        waiting = b""
        while size := int(await reader.readuntil(b"\r\n"), 16):
            waiting += (await reader.readexactly(size + 2))[:-2]
            reading.received += size
            *events, waiting = waiting.split(b"\n\n")
            now = time.time()
            for event in events:
                lines = dict(line.split(b": ", 1) for line in event.split(b"\n"))
                if b"retry" in lines or lines.get(b"event") == b"language":
                    continue
                if b"event" not in lines:
                    _, is_complete, number = lines[b"id"].rpartition(b".")
                    reading.take(int(number) if is_complete else None, json.loads(lines[b"data"]), now)
                elif lines[b"event"] == b"end":
                    writer.close()
                    return reading
                else:
                    raise WrongAnswerError("the stream was lost")
        raise WrongAnswerError("the stream ended without its end")

    async def _get(self, path: str) -> tuple[str, bytes]:
        reader, writer = await self._request(path, close=True)
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        body = await reader.read()
        writer.close()
        return head, body

    async def _request(self, path: str, *, close: bool = False) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=2**22)
        accept = "text/html" if close else "text/event-stream"
        lines = [f"GET {path} HTTP/1.1", f"Host: {self._host}:{self._port}", f"Accept: {accept}"]
        lines += [f"Cookie: {self._cookie}"] if self._cookie else []
        lines += ["Connection: close"] if close else []
        writer.write("\r\n".join([*lines, "", ""]).encode())
        return reader, writer


def _live(chat: dict[str, Any]) -> str:
    """The address of the streaming answer, or empty."""
    latest = chat.get("latest_rx_state_", {})
    return str(latest["address"]) if latest.get("live") else ""


def shown_words(text: str) -> list[str]:
    """The words of an answer's text as displayed."""
    return text.replace(f"[{SOURCE}]", "1").split()


def check(reading: Reading, backend: Backend, name: str) -> None:
    """Check the received answer, character by character.

    Raises:
        WrongAnswerError: it differs from the backend's.
    """
    sent = backend.sent(name)
    expected = shown_words(sent.text) if sent else []
    read = reading.words()
    if read != expected:
        place = next((n for n, pair in enumerate(zip(read, expected, strict=False)) if pair[0] != pair[1]), -1)
        raise WrongAnswerError(
            f"answer {name}: {len(read)} words for {len(expected)}, word {place} is "
            f"{read[place : place + 3]} for {expected[place : place + 3]}"
        )
