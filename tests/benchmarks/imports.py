"""How long others wait while the worst files are imported."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import httpx

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure

LIST: Final = "/api/conversations/"
WAIT: Final = 50
"""Milliseconds that others may wait on an idle machine."""
_PAUSE: Final = 0.005


def imports(bench: Bench) -> Iterator[Figure]:
    """The longest wait for `/health` while a file is imported, and while what it held is searched and exported."""
    for name, content in _files().items():
        with httpx.Client(base_url=bench.server.url, timeout=300) as person:
            person.get("/")
            with _asking(bench.server.url) as waits:
                began = time.perf_counter()
                person.post(f"{LIST}import", content=content).raise_for_status()
                took = time.perf_counter() - began
            yield Figure("imports", f"{name}: the longest wait for /health", 1000 * max(waits), "ms", WAIT)
            yield Figure("imports", "… the import itself", took, "s")
            if found := person.get(LIST).json()["conversations"]:
                with _asking(bench.server.url) as waits:
                    _search_and_export(person, found[0]["id"])
                yield Figure("imports", "… searched and exported, the longest wait", 1000 * max(waits), "ms", WAIT)


def _search_and_export(person: httpx.Client, conversation: str) -> None:
    for query in ("word", "w", "a b c d e f g h"):
        person.get(LIST, params={"q": query}).raise_for_status()
    for form in ("json", "markdown", "html"):
        person.get(f"{LIST}{conversation}/export", params={"as": form}).raise_for_status()
    person.get(f"{LIST}export").raise_for_status()


@contextmanager
def _asking(url: str) -> Iterator[list[float]]:
    """Seconds of each wait for `/health` meanwhile."""
    waits, over = list[float](), threading.Event()

    def ask() -> None:
        with httpx.Client(base_url=url, timeout=300) as client:
            while not over.wait(_PAUSE):
                began = time.perf_counter()
                client.get("/health")
                waits.append(time.perf_counter() - began)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield waits
    finally:
        over.set()
        asking.join()


def _files() -> dict[str, bytes]:
    def turn(answer: object, at: int = 0) -> dict[str, object]:
        parent = str(at - 1) if at else None
        return {"id": str(at), "parent": parent, "question": "Q?", "answers": [{"answer": answer}]}

    chain = [turn({"text": "A."}, at) for at in range(10_000)]
    return {
        "7,000,000 lists": b"[" + b"[]," * 7_000_000 + b"[]]",
        "3,000,000 objects": _archive(b"{}," * 2_999_999 + b"{}"),
        "a conversation of 7,000,000 lists": _archive(b'{"turns": [' + b"[]," * 7_000_000 + b"[]]}"),
        "1,000,000 data points": _archive_of({"turns": [turn({"text": "A.", "data_points": [{}] * 1_000_000})]}),
        "10,000 turns": _archive_of({"title": "Long", "turns": chain}),
        "15,000 conversations": _archive_of(*[{"title": "T", "turns": [turn({"text": "word " * 200})]}] * 15_000),
    }


def _archive_of(*conversations: object) -> bytes:
    return _archive(json.dumps(conversations).encode()[1:-1])


def _archive(conversations: bytes) -> bytes:
    return b'{"format": "chat-ui-conversations", "version": 1, "conversations": [' + conversations + b"]}"
