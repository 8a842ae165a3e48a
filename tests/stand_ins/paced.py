"""A backend that streams text at a fixed pace, and logs times: the clock of the benchmarks.

`python -m tests.stand_ins.paced PORT` serves `POST /chat/stream` on loopback. The question describes the answer:
`kind=prose tokens=1142 rate=190 id=a7`. A rate of 0 sends everything at once, and `kind=silent` sends no byte.

The first text is sent in a packet with the head and the sources, or `think=600` milliseconds later. A whole answer
starts with a word of `FIRST` and its id, which `first=2` splits into two tokens, and ends with a word of `LAST` and its
id.

`GET /log/ID` gives the answer's `Sent` as JSON, or `null` before its end. `GET /plain` is a page that asks with `fetch`
and appends each piece of text.
"""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import count

FIRST = "Ahoy"
LAST = "Overandout"
SOURCE = "Buoys.pdf#page=3"

PROSE = (
    "The harbour office keeps a list of every buoy that was laid this year, with its place, its colour and the "
    "day on which it has to be lifted for painting. Whoever finds one adrift reports it by radio and gets a "
    f"written answer within two days [{SOURCE}]. "
)
WORDS = PROSE.split()
PARAGRAPH = 90
"""Words of one paragraph of prose."""
STALL = 600
"""Seconds for which a backend that sends nothing keeps the connection open."""
STAMPED_EVERY = 10
"""Words from one time stamp to the next in stamped prose."""


@dataclass
class Sent:
    """The sent part of an answer: bytes of its body, its text, and the times (`time.time()`) of its first text and its
    end.

    `gone` is the time at which the client closed the connection before that end.
    """

    bytes: int = 0
    text: str = ""
    first_text: float = 0.0
    ended: float = 0.0
    gone: float = 0.0


def prose(tokens: int) -> Iterator[str]:
    for index in range(tokens):
        yield ("\n\n" if index % PARAGRAPH == PARAGRAPH - 1 else "") + WORDS[index % len(WORDS)] + " "


def stamped(tokens: int) -> Iterator[str]:
    """Prose in which every tenth word is the current time, so that a reader can measure its delay."""
    for index, words in enumerate(prose(tokens)):
        yield f"t{time.time() * 1000:.0f} " if index % STAMPED_EVERY == STAMPED_EVERY // 2 else words


def table(tokens: int) -> Iterator[str]:
    yield "| Buoy | Place | Colour |\n|---|---|---|\n"
    for index in range(tokens // 7):
        yield from ("| ", f"B{index} ", "| ", f"north {index} ", "| ", "red ", "|\n")


def code(tokens: int) -> Iterator[str]:
    yield "```python\n"
    for index in range(tokens // 5):
        yield from ("value", f"_{index}", " = ", f"lift({index})", "\n")
    yield "```\n"


def bullets(tokens: int) -> Iterator[str]:
    for index in range(tokens // 6):
        yield from ("- ", "buoy ", f"number {index} ", "lies ", "in ", "the north\n")


def lines(tokens: int) -> Iterator[str]:
    for index in range(tokens):
        yield f"Line {index} of the log says that all is well.\n"


KINDS = {"prose": prose, "stamped": stamped, "table": table, "code": code, "list": bullets, "lines": lines}


def texts(kind: str, tokens: int, name: str, first: int = 1) -> Iterator[str]:
    """The answer that is logged under that name, piece by piece; its first word is that many pieces."""
    yield from FIRST[: first - 1]
    yield f"{FIRST[first - 1 :]}{name}\n\n"
    yield from KINDS[kind](tokens)
    yield f"\n\n{LAST}{name}"


PLAIN = b"""<!doctype html><meta charset="utf-8"><title>Plain</title>
<textarea aria-label="Message"></textarea><p></p>
<script>
  const box = document.querySelector("textarea");
  const answer = document.querySelector("p");
  box.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const body = JSON.stringify({ messages: [{ role: "user", content: box.value }] });
    const response = await fetch("/chat/stream", { method: "POST", body });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    answer.textContent = "";
    let waiting = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (waiting + read.value).split("\\n");
      waiting = lines.pop();
      for (const line of lines) answer.append(JSON.parse(line).delta.content ?? "");
    }
  });
</script>
"""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\nTransfer-Encoding: chunked\r\n\r\n"


def line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


class PacedBackend:
    """Answers at the requested pace, and keeps a log."""

    def __init__(self) -> None:
        self._log: dict[str, Sent] = {}
        self._numbers = count()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /log/"):
                name = head.split(b" ", 2)[1].decode().removeprefix("/log/")
                sent = self._log.get(name)
                _give(json.dumps(asdict(sent) if sent and sent.ended else None).encode(), writer)
            elif head.startswith(b"GET /plain "):
                _give(PLAIN, writer, b"text/html")
            elif found := re.search(rb"content-length: *(\d+)", head, re.IGNORECASE):
                request = json.loads(await reader.readexactly(int(found.group(1))))
                await self._answer(str(request["messages"][-1]["content"]), reader, writer)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, question: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = dict(re.findall(r"(\w+)=(\w+)", question))
        name = asked.get("id", f"n{next(self._numbers)}")
        sent = self._log[name] = Sent()
        answering = asyncio.create_task(self._stream(asked, name, sent, writer))
        leaving = asyncio.create_task(reader.read())
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        # A reset ends both directions.
        if not answering.done() or answering.exception() is not None:
            sent.gone = sent.ended = time.time()
        answering.cancel()
        leaving.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _stream(self, asked: dict[str, str], name: str, sent: Sent, writer: asyncio.StreamWriter) -> None:
        rate = float(asked.get("rate", 190))
        kind, tokens = asked.get("kind", "prose"), int(asked.get("tokens", 1142))
        if kind == "silent":
            await asyncio.sleep(STALL)
        context = {"data_points": {"text": [f"{SOURCE}: Whoever finds a buoy adrift reports it by radio."]}}
        pending = [line({"delta": {"role": "assistant"}, "context": context})]
        if think := int(asked.get("think", 0)) / 1000:
            self._send(pending, sent, writer)
            await asyncio.sleep(think)
        loop = asyncio.get_running_loop()
        start = loop.time()
        for index, text in enumerate(texts(kind, tokens, name, int(asked.get("first", 1)))):
            sent.text += text
            pending.append(line({"delta": {"content": text}}))
            wait = start + (index + 1) / rate - loop.time() if rate else 0
            if wait > 0:
                self._send(pending, sent, writer)
                await writer.drain()
                await asyncio.sleep(wait)
        self._send(pending, sent, writer)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        sent.ended = time.time()

    @staticmethod
    def _send(pending: list[bytes], sent: Sent, writer: asyncio.StreamWriter) -> None:
        head = b"" if sent.bytes else HEAD
        sent.bytes += sum(map(len, pending))
        if sent.text:
            sent.first_text = sent.first_text or time.time()
        # Most servers send each line as a chunk.
        writer.write(head + b"".join(b"%x\r\n%s\r\n" % (len(line), line) for line in pending))
        pending.clear()


def _give(body: bytes, writer: asyncio.StreamWriter, kind: bytes = b"application/json") -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    writer.write(head % (kind, len(body)) + body)


async def main(port: int) -> None:
    server = await asyncio.start_server(PacedBackend().serve, "127.0.0.1", port)
    print(f"http://127.0.0.1:{port}/chat", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
