"""What reading an answer costs.

For each dialect and each layout, delta lines a second through framing, dialects and fold on one core, fed in pieces as
networks give them, beside `json.loads` of the same lines in the same run. Then values of 30 MB: their time, and the
memory at its peak as a multiple of them. Seconds are of processor time, the best of three, so other work on the machine
counts little.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator

from chat_ui.protocol.answers.answer import AnswerBuilder
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed
from chat_ui.protocol.transport.recorder import WireRecorder
from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure

LINES = 20_000
"""Delta lines for each figure."""

WORDS = ["The", "harbour", "office", "keeps", "a", "list", "of", "every", "buoy", "laid", "[Buoys.pdf#page=3].", "żółw"]
DIALECTS: dict[str, Callable[[str], bytes]] = {
    "flat": lambda word: b'{"delta": {"content": %s, "role": "assistant"}}' % _json(word),
    "chat-protocol": lambda word: b'{"delta":{"content":%s},"sessionState":null}' % _json(word),
    "choices": lambda word: b'{"choices": [{"delta": {"content": %s, "role": null}, "index": 0}]}' % _json(word),
    "openai": lambda word: (
        b'{"id":"c-1","object":"chat.completion.chunk","created":1700000000,"model":"m",'
        b'"choices":[{"index":0,"delta":{"content":%s},"logprobs":null,"finish_reason":null}]}' % _json(word)
    ),
    "responses": lambda word: b'{"type":"response.output_text.delta","delta":%s}' % _json(word),
    "sample-app": lambda word: (
        b'{"id":"c","choices":[{"messages":[{"role":"assistant","content":%s}]}],"history_metadata":{}}' % _json(word)
    ),
    "ollama": lambda word: (
        b'{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":%s},"done":false}'
        % _json(word)
    ),
}
LAYOUTS: dict[str, tuple[bytes, bytes]] = {
    "lines": (b"", b"\n"),
    "glued": (b"", b""),
    "events": (b"data: ", b"\n\n"),
    "named events": (b"event: message\r\ndata: ", b"\r\n\r\n"),
}
"""What stands before and after each object."""
WAYS: tuple[tuple[str, int], ...] = (
    ("lines", 0),
    ("lines", 1400),
    ("lines", 64 * 1024),
    ("glued", 1400),
    ("events", 1400),
    ("named events", 1400),
)
"""Layouts, each with the bytes of a piece; 0: each object is a piece."""


def _json(word: str) -> bytes:
    return json.dumps(word + " ").encode()


def read(pieces: Iterable[bytes]) -> str:
    """The text of an answer that comes in `pieces`."""
    framer, reader, builder = Framer(), DialectReader(), AnswerBuilder()
    for piece in pieces:
        for event in reader.read_all(item for item in framer.feed(piece) if type(item) is Framed):
            builder.add(event)
    for event in reader.read_all(item for item in framer.close() if type(item) is Framed):
        builder.add(event)
    builder.close()
    return builder.answer().text


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The processor time of `work`, the best of a few."""
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def cut(body: bytes, lines: list[bytes], size: int) -> list[bytes]:
    return lines if not size else [body[at : at + size] for at in range(0, len(body), size)]


def protocol(_: Bench) -> Iterator[Figure]:
    """What reading each dialect costs, then what large values do, then what the inspector's record does."""
    for name, delta in DIALECTS.items():
        yield from lines_per_second(name, [delta(WORDS[index % len(WORDS)]) for index in range(LINES)])
    for kind, value in large_values(30_000_000).items():
        yield from large_value(kind, value)
    yield from recording(LINES)


def lines_per_second(name: str, objects: list[bytes]) -> Iterator[Figure]:
    """Delta lines of one dialect a second, in each way, and for `json.loads`."""
    expected = read(objects)
    for layout, size in WAYS:
        before, after = LAYOUTS[layout]
        lines = [before + value + after for value in objects]
        pieces = cut(b"".join(lines), lines, size)
        assert read(pieces) == expected
        what = f"{name}: {layout}, pieces of {f'{size} bytes' if size else 'one'}"
        spent = seconds(lambda pieces=pieces: read(pieces))
        yield Figure("protocol", what, len(objects) / spent, "lines/s", goal=100_000, at_least=True)
    spent = seconds(lambda: [json.loads(value) for value in objects])
    yield Figure("protocol", f"{name}: json.loads alone", len(objects) / spent, "lines/s")


def large_values(size: int) -> dict[str, bytes]:
    """Objects of `size` bytes: what makes them large in practice."""
    image = "data:image/png;base64," + "A" * size
    code = "Buoys.pdf#page=3: if (lit) { show(); }\n" * 25
    points = {
        "an image": {"images": [image]},
        "an image and “quotes”": {"text": ["Buoys.pdf: the “lit” ones"], "images": [image]},
        "line ends": {"text": ["Buoys.pdf: " + "\n" * (size // 2)]},
        "escaped letters": {"text": ["Buoys.pdf: " + "ż" * (size // 6)]},
        "passages of code": {"text": [code] * (size // len(code))},
    }
    return {
        kind: json.dumps({"delta": {}, "context": {"data_points": held}}, ensure_ascii="quotes" not in kind).encode()
        for kind, held in points.items()
    }


def large_value(kind: str, value: bytes) -> Iterator[Figure]:
    """Seconds and peak of memory as a multiple of `value`, to the answer and for `json.loads`."""
    for layout in ("lines", "glued", "events"):
        before, after = LAYOUTS[layout]
        body = before + value + after + before + b'{"delta":{"content":"A"}}' + after
        pieces = cut(body, [], 64 * 1024)
        what = f"30 MB of {kind}, {layout}"
        yield Figure("protocol", what, seconds(lambda pieces=pieces: read(pieces)), "s", goal=0.5)
        yield Figure("protocol", f"{what}, memory", peak(lambda pieces=pieces: read(pieces)) / len(value), "×", goal=3)
    yield Figure("protocol", f"30 MB of {kind}, json.loads alone", seconds(lambda: json.loads(value)), "s")
    memory = peak(lambda: json.loads(value)) / len(value)
    yield Figure("protocol", f"30 MB of {kind}, json.loads alone, memory", memory, "×")


def peak(work: Callable[[], object]) -> float:
    """The bytes that `work` has allocated at its peak."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def recording(count: int) -> Iterator[Figure]:
    """What recording the wire costs for each piece of one line, and making the lines of it."""
    line = DIALECTS["flat"]("harbour") + b"\n"
    recorder = WireRecorder()
    recorder.sent("http://127.0.0.1/chat", ("s3cr3t-k3y",))

    def record() -> None:
        for index in range(count):
            recorder.piece(index / 1000, line)

    yield Figure("protocol", "the inspector's record, each piece", seconds(record) / count * 1e6, "µs")
    yield Figure("protocol", "the inspector's record, to show it", seconds(recorder.record) * 1e3, "ms")
