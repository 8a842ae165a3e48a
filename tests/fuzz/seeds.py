"""Where fuzzing begins: bodies of every layout and dialect, and the words they are made of."""

from __future__ import annotations

from tests.backends.stand_in import lines
from tests.protocol.layouts import LAYOUTS
from tests.protocol.recorded import RECORDED
from tests.protocol.streams import ERRORS, PLACES_NAMES, STREAMS

_HEAD = bytes([0, 0, 1, 6, 40, 200])

SEEDS = [
    _HEAD + body
    for body in (
        *(body for body, _ in LAYOUTS.values()),
        *(body for _, body in STREAMS.values()),
        *RECORDED.values(),
        *(lines({"delta": {"content": "A"}}, value) for value, *_ in ERRORS.values()),
        b'data: {"choices":[{"delta":{"content":"A"}}]}\n\nerror: {"code":400}\n\ndata: [DONE]\n\n',
        b'{"choices":[{"messages":[{"role":"tool","content":"{\\"citations\\":[]}"}]}]}\n',
        b'{"message":{"content":"A <<Why?>>"},"done":false}\n{"done":true,"eval_count":1}\n',
        b'{"output_text":"A","status":"incomplete","incomplete_details":{"reason":"\\ude00"}}\n',
        '{"delta":{"content":"\\ud83d"}}{"delta":{"content":"\\ude00 ż"}}'.encode(),
    )
]
DICTIONARY = [
    *(f'"{name}":'.encode() for name in PLACES_NAMES),
    *(b"data: ", b"data:", b"event: ", b"error: ", b": ping\n", b"id: 1\n", b"retry: 1\n", b"[DONE]", b"\x1e"),
    *(b"\n\n", b"\r\n", b"\r", b'"}}\n', b'{"', b'":{"', b'":[', b"null", b"true", b"NaN", b"-Infinity", b"\\ud83d"),
    *(b"\\ude00", b"<<", b">>", b"?>>", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"```\n", b'"error"'),
    *(b"response.output_text.delta", b"response.failed", b"content_filter", b"assistant", b"tool", b"chat.completion"),
]
