"""What reading an answer costs: `python -m tests.benchmarks.protocol [--lines N] [--json]`.

For each dialect, delta lines a second through framing, dialects and fold on one core, fed in pieces as networks give
them, beside `json.loads` of the same lines in the same run. Then one value of 30 MB: its time, and the memory at its
peak as a multiple of it. Seconds are of processor time, the best of three, so other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator

from chat_ui.protocol.answer import AnswerBuilder
from chat_ui.protocol.dialects import DialectReader
from chat_ui.protocol.framing import Framed, Framer
from chat_ui.protocol.wire import WireRecorder

WORDS = ["The", "harbour", "office", "keeps", "a", "list", "of", "every", "buoy", "laid", "[Buoys.pdf#page=3].", "żółw"]
PIECES = {"a line": 0, "1400 B": 1400, "16 kB": 16 * 1024, "64 kB": 64 * 1024}
DIALECTS: dict[str, Callable[[str], bytes]] = {
    "flat": lambda word: b'{"delta": {"content": %s, "role": "assistant"}}\n' % _json(word),
    "chat-protocol": lambda word: b'{"delta":{"content":%s},"sessionState":null}\r\n' % _json(word),
    "choices": lambda word: b'{"choices": [{"delta": {"content": %s, "role": null}, "index": 0}]}\n' % _json(word),
    "openai": lambda word: (
        b'data: {"id":"c-1","object":"chat.completion.chunk","created":1700000000,"model":"m",'
        b'"choices":[{"index":0,"delta":{"content":%s},"logprobs":null,"finish_reason":null}]}\n\n' % _json(word)
    ),
    "responses": lambda word: b'{"type":"response.output_text.delta","delta":%s}\n' % _json(word),
    "sample-app": lambda word: (
        b'{"id":"c","choices":[{"messages":[{"role":"assistant","content":%s}]}],"history_metadata":{}}\n' % _json(word)
    ),
    "ollama": lambda word: (
        b'{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":%s},"done":false}\n'
        % _json(word)
    ),
}
OPENING = b'{"delta": {"role": "assistant"}, "context": {"data_points": {"text": ["Buoys.pdf#page=3: A list."]}}}\n'


def _json(word: str) -> bytes:
    return json.dumps(word + " ").encode()


def read(pieces: Iterable[bytes]) -> str:
    """The text of an answer that comes in `pieces`."""
    framer, reader, builder = Framer(), DialectReader(), AnswerBuilder()
    for piece in pieces:
        for item in framer.feed(piece):
            if isinstance(item, Framed):
                for event in reader.read(item):
                    builder.add(event)
    for item in framer.close():
        if isinstance(item, Framed):
            for event in reader.read(item):
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


def lines_per_second(count: int) -> Iterator[dict[str, object]]:
    """A row for each dialect: thousands of lines a second for each size of pieces, and for `json.loads`."""
    for name, line in DIALECTS.items():
        deltas = [line(WORDS[index % len(WORDS)]) for index in range(count)]
        lines = [OPENING, *deltas] if name != "openai" else deltas
        body = b"".join(lines)
        expected = read([body])
        row: dict[str, object] = {"dialect": name, "bytes a line": len(body) // len(lines)}
        for label, size in PIECES.items():
            pieces = cut(body, lines, size)
            assert read(pieces) == expected
            row[label] = round(count / seconds(lambda pieces=pieces: read(pieces)) / 1000)
        bare = [line.removeprefix(b"data: ").strip() for line in lines]
        row["json.loads"] = round(count / seconds(lambda bare=bare: [json.loads(line) for line in bare]) / 1000)
        yield row


def large_value(size: int) -> dict[str, object]:
    """One value of `size` bytes: seconds, peak of memory as a multiple of it, and both for `json.loads`."""
    value = b'{"delta": {}, "context": {"data_points": {"images": ["data:image/png;base64,' + b"A" * size + b'"]}}}\n'
    pieces = [value[at : at + 65536] for at in range(0, len(value), 65536)]

    def frame() -> int:
        framer = Framer()
        return sum(len(framer.feed(piece)) for piece in pieces) + len(framer.close())

    return {
        "bytes": len(value),
        "framing_s": round(seconds(frame), 3),
        "whole_s": round(seconds(lambda: read(pieces)), 3),
        "json_loads_s": round(seconds(lambda: json.loads(value)), 3),
        "framing_peak": peak(frame) / len(value),
        "whole_peak": peak(lambda: read(pieces)) / len(value),
        "json_loads_peak": peak(lambda: json.loads(value)) / len(value),
    }


def peak(work: Callable[[], object]) -> float:
    """The bytes that `work` has allocated at its peak."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def recording(count: int) -> dict[str, object]:
    """What recording the wire costs for each piece of one line, in microseconds, and to make the lines of it."""
    line = DIALECTS["flat"]("harbour")
    recorder = WireRecorder()
    recorder.sent("http://127.0.0.1/chat", ("s3cr3t-k3y",))

    def record() -> None:
        for index in range(count):
            recorder.piece(index / 1000, line)

    spent = seconds(record)
    return {"us_a_piece": round(spent / count * 1e6, 2), "ms_to_show": round(seconds(recorder.record) * 1e3, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.protocol")
    parser.add_argument("--lines", type=int, default=100_000, help="delta lines for each figure (default: 100000)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    rows = list(lines_per_second(options.lines))
    large, wire = large_value(30_000_000), recording(options.lines)
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    if options.json:
        print(json.dumps({"machine": machine, "thousand_lines_a_second": rows, "large": large, "recording": wire}))
        return
    print(f"{machine}, thousands of delta lines a second\n")
    print("".join(f"{head:>15}" for head in rows[0]))
    for row in rows:
        print("".join(f"{row[head]!s:>15}" for head in rows[0]))
    print(
        f"\none value of {large['bytes'] / 1e6:.0f} MB: framing {large['framing_s']} s, to the answer "
        f"{large['whole_s']} s, json.loads {large['json_loads_s']} s\n"
        f"memory at its peak, as a multiple of the value: framing {large['framing_peak']:.2f}, to the answer "
        f"{large['whole_peak']:.2f}, json.loads {large['json_loads_peak']:.2f}\n"
        f"recording the wire: {wire['us_a_piece']} µs a piece, {wire['ms_to_show']} ms to show what was kept"
    )


if __name__ == "__main__":
    main()
