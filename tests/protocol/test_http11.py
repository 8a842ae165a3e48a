"""Chunked bodies read many chunks at a time, compared with h11's reading."""

from itertools import pairwise

import h11
import pytest
from h11._readers import ChunkedReader
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport import outgoing
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.http11 import complete_chunks
from tests.protocol.asking import PATIENT, QUESTION
from tests.stand_ins.stand_in import Reply, StandIn, lines

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def read(body: bytes, cuts: list[int], *, complete: bool) -> tuple[bytes, str, int]:
    """The data, the end and the number of reads of a body in these pieces, with whole chunks together if `complete`."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "localhost")]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(HEAD)
    assert type(connection.next_event()) is h11.Response
    reader = connection._reader
    assert type(reader) is ChunkedReader
    data, events = b"", 0
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    try:
        for piece in [*(body[start:end] for start, end in pairwise(places)), b""]:
            connection.receive_data(piece)
            while True:
                if complete and (together := complete_chunks(reader, connection._receive_buffer)):
                    data += together
                    events += 1
                event = connection.next_event()
                if not isinstance(event, h11.Data):
                    break
                data += event.data
                events += 1
            if isinstance(event, h11.EndOfMessage):
                return data, f"whole, {len(connection.trailing_data[0])} bytes follow", events
    except h11.RemoteProtocolError as error:
        return data, str(error), events
    raise AssertionError("an end of the bytes is an end of the body")


CHUNK = st.binary(max_size=20).map(lambda data: b"%x\r\n%s\r\n" % (len(data), data))
ODD = st.sampled_from(
    [
        b"5;name=value\r\nhello\r\n", b"5 \r\nhello\r\n", b"005\r\nhello\r\n", b"A\r\n0123456789\r\n", b"5\r\nhello!",
        b"5\r\nhello\r!", b"5\nhello\n", b"-5\r\nhello\r\n", b"0x5\r\nhello\r\n", b"\r\n", b"5\r\nhel",
        b"0\r\nTrailer: yes\r\n\r\n", b"fffffffffffffff\r\nhello\r\n", b"ffffffffffffffffffff\r\nhello\r\n",
    ]
)  # fmt: skip
BODIES = st.lists(CHUNK | ODD, max_size=12).map(lambda parts: b"".join(parts) + b"0\r\n\r\n")


@given(BODIES, st.lists(st.integers(0, 200), max_size=8))
@example(b"5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK", [])
def test_data_and_end_equal_those_of_h11(body: bytes, cuts: list[int]) -> None:
    assert read(body, cuts, complete=True)[:2] == read(body, cuts, complete=False)[:2]


def test_simultaneous_chunks_are_one_event() -> None:
    body = b"5\r\nhello\r\n" * 100 + b"0\r\n\r\n"
    assert read(body, [], complete=True) == (b"hello" * 100, "whole, 0 bytes follow", 1)
    assert read(body, [555], complete=True) == (b"hello" * 100, "whole, 0 bytes follow", 4)


@pytest.mark.parametrize(("known", "connections"), [(outgoing.HTTP11_OF, [1, 1]), (("0.17.0", "2.16.2"), [1, 2])])
async def test_other_library_versions_are_used_by_their_public_interface(
    monkeypatch: pytest.MonkeyPatch, known: tuple[str, str], connections: list[int]
) -> None:
    monkeypatch.setattr(outgoing, "HTTP11_OF", known)
    stand_in = StandIn(Reply([lines({"delta": {"content": f"{word} "}}) for word in ("all", "of", "it")]))
    async with stand_in.running(), AsyncClient(PATIENT) as client:
        answers = [await client.ask(Backend(stand_in.url), QUESTION) for _ in range(2)]
    assert [answer.text.split() for answer in answers] == [["all", "of", "it"]] * 2
    assert [request.connection for request in stand_in.requests] == connections
