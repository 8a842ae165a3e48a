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
    """The longest wait for `/health` while a file is imported, searched, opened and exported."""
    for name, content in _files().items():
        with httpx.Client(base_url=bench.server.url, timeout=300) as person:
            person.get("/")
            with _asking(bench.server.url) as waits:
                began = time.perf_counter()
                person.post(f"{LIST}import", content=content).raise_for_status()
                took = time.perf_counter() - began
            yield Figure("imports", f"{name}: the longest wait for /health", 1000 * max(waits), "ms", WAIT)
            yield Figure("imports", "… the import itself", took, "s")
            with _asking(bench.server.url) as waits:
                for query in ("word", "w", "a b c d e f g h"):
                    person.get(LIST, params={"q": query}).raise_for_status()
                found = person.get(LIST).json()["conversations"]
                for form in ("json", "markdown", "html") if found else ():
                    person.get(f"{LIST}{found[0]['id']}/export", params={"as": form})
                person.get(f"{LIST}export").raise_for_status()
            yield Figure("imports", "… searched and exported, the longest wait", 1000 * max(waits), "ms", WAIT)


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
    nothing = {"id": "a", "parent": None, "question": "Q?"}
    points = {"text": "Words.", "data_points": [{}] * 1_000_000}
    chain = [
        {
            "id": str(at),
            "parent": str(at - 1) if at else None,
            "question": "Q?",
            "answers": [{"answer": {"text": "A."}}],
        }
        for at in range(10_000)
    ]
    many = [{"title": "T", "turns": [{**nothing, "answers": [{"answer": {"text": "word " * 200}}]}]}] * 15_000
    return {
        "7,000,000 lists": b"[" + b"[]," * 7_000_000 + b"[]]",
        "3,000,000 objects": _archive(b"{}," * 2_999_999 + b"{}"),
        "a conversation of 7,000,000 lists": _archive(b'{"turns": [' + b"[]," * 7_000_000 + b"[]]}"),
        "1,000,000 data points": _archive(
            json.dumps({"turns": [{**nothing, "answers": [{"answer": points}]}]}).encode()
        ),
        "10,000 turns": _archive(json.dumps({"title": "Long", "turns": chain}).encode()),
        "15,000 conversations": _archive(json.dumps(many).encode()[1:-1]),
    }


def _archive(conversations: bytes) -> bytes:
    return b'{"format": "chat-ui-conversations", "version": 1, "conversations": [' + conversations + b"]}"
