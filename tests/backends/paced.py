"""A backend that streams text at a fixed pace and notes when its last byte left: the clock of the benchmarks.

`python -m tests.backends.paced PORT` serves, on loopback, `POST /chat/stream`; the question names the answer:
`tokens=1142 rate=190 kind=prose`. `GET /log` answers with one entry for each answer: bytes sent and the times
(`time.time()`) of the first text and of the last byte.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator

PROSE = (
    "The harbour office keeps a list of every buoy that was laid this year, with its place, its colour and the "
    "day on which it has to be lifted for painting. Whoever finds one adrift reports it by radio and gets a "
    "written answer within two days [Buoys.pdf#page=3]. "
)
WORDS = PROSE.split()


def prose(tokens: int) -> Iterator[str]:
    for index in range(tokens):
        yield ("\n\n" if index % 90 == 89 else "") + WORDS[index % len(WORDS)] + " "


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


KINDS = {"prose": prose, "table": table, "code": code, "list": bullets}
LOG: list[dict[str, float]] = []


def line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if head.startswith(b"GET"):
        body = json.dumps(LOG).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        await writer.drain()
        writer.close()
        return
    length = int(re.search(rb"content-length: *(\d+)", head, re.I).group(1))
    question = json.loads(await reader.readexactly(length))["messages"][-1]["content"]
    asked = dict(re.findall(r"(\w+)=(\w+)", question))
    tokens, rate = int(asked.get("tokens", 1142)), float(asked.get("rate", 190))
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\nConnection: close\r\n\r\n")
    context = {"data_points": {"text": ["Buoys.pdf#page=3: Whoever finds a buoy adrift reports it by radio."]}}
    entry = {"bytes": 0.0, "started": time.time()}
    start = asyncio.get_running_loop().time()
    pieces = [line({"delta": {"role": "assistant"}, "context": context})]
    try:
        for index, text in enumerate(KINDS[asked.get("kind", "prose")](tokens)):
            pieces.append(line({"delta": {"content": text}}))
            due = start + index / rate if rate else 0
            if due > asyncio.get_running_loop().time():
                await asyncio.sleep(due - asyncio.get_running_loop().time())
                entry["bytes"] += sum(map(len, pieces))
                writer.write(b"".join(pieces))
                entry.setdefault("first_text", time.time())
                pieces.clear()
                await writer.drain()
        entry["bytes"] += sum(map(len, pieces))
        writer.write(b"".join(pieces))
        entry.setdefault("first_text", time.time())
        await writer.drain()
        entry["ended"] = time.time()
        LOG.append(entry)
        writer.close()
    except ConnectionError:
        writer.close()


async def main(port: int) -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    print(f"http://127.0.0.1:{port}/chat", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
