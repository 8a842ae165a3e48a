"""Events of a stream over several connections."""

import pytest

from chat_ui.protocol.reading.whole_events import WholeEvents

ENDS = ["\r\n", "\n"]


def event(text: str, key: str, end: str = "\n") -> bytes:
    return end.join([f"data: {text}", f"id: {key}", "", ""]).encode()


@pytest.mark.parametrize("end", ENDS)
def test_only_whole_events_pass_in_pieces_of_any_size(end: str) -> None:
    sent = b"".join(event(f"{place}", f"{place}-0", end) for place in range(9))
    for size in range(1, len(sent)):
        events = WholeEvents(1000)
        came = b""
        for at in range(0, len(sent), size):
            came += events.feed(sent[at : at + size])
            assert sent.startswith(came)
            assert came.count(b"id") == sent[: at + size].count(f"-0{end}{end}".encode())
        assert (came, events.rest(), events.id) == (sent, b"", "7-0")


def test_events_of_the_last_id_come_again_and_are_left_out_once_each() -> None:
    events = WholeEvents(1000)
    twice = event("a", "2-0") * 2
    assert events.feed(event("b", "1-0") + twice + b"data: c") == event("b", "1-0") + twice
    assert events.id == "1-0"
    for passed in (event("d", "2-0"), b""):
        events.go_on()
        assert events.feed(twice + event("d", "2-0")) == passed
    assert events.feed(event("a", "3-0") + event("a", "3-0")) == event("a", "3-0") * 2
    assert events.id == "2-0"


def test_a_stream_is_read_from_its_beginning_until_it_has_two_ids() -> None:
    events = WholeEvents(1000)
    assert events.id == "0-0"
    events.feed(event("a", "1-0"))
    assert events.id == "0-0"


def test_an_event_that_is_too_long_passes_at_once() -> None:
    events = WholeEvents(10)
    assert events.feed(b"data: 1234") == b""
    assert events.feed(b"5") == b"data: 12345"
    assert events.rest() == b""
