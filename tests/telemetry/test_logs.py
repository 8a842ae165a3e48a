"""Records of libraries: what they say, without what they were given."""

import logging
import sys
from collections.abc import Iterator

import pytest

from chat_ui.telemetry.logs import configure_logs

SAID = "the harbour is sold"


@pytest.fixture
def logged(own_log: logging.Logger) -> Iterator[list[logging.LogRecord]]:
    """The records of libraries so far."""
    configure_logs("info", as_json=False)
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logging.root.addHandler(handler)
    yield records
    logging.root.removeHandler(handler)


httpx2_log = logging.getLogger("httpx2")


def test_a_record_of_a_library_says_what_happened_without_what_was_sent(logged: list[logging.LogRecord]):
    message = SAID
    httpx2_log.warning(f"No token for {SAID} yet")
    httpx2_log.error("%s: %d packets", SAID, 3)
    httpx2_log.error("{} was dropped".format(SAID))  # noqa: UP032
    httpx2_log.warning(
        "Received an event "
        f"of {SAID}: it is "
        "no event."
    )  # fmt: skip
    httpx2_log.error("Kept " + SAID)
    httpx2_log.warning(message)
    assert [record.getMessage().partition(" (test_logs.py:")[0] for record in logged] == [
        "httpx2: No token for … yet",
        "httpx2: …: … packets",
        "httpx2: … was dropped",
        "httpx2: Received an event of …: it is no event.",
        "httpx2: Kept",
        "httpx2: a message of values alone",
    ]
    assert not [record for record in logged if SAID in str(vars(record))]


def test_what_comes_with_each_packet_is_said_once_and_what_is_ordinary_never(logged: list[logging.LogRecord]):
    log = logging.getLogger("reflex.app")
    for _ in range(3):
        log.warning("Attempting to send delta to disconnected client %s", SAID)
        log.warning("One packet")
        log.warning("Another packet")
    said = ["reflex.app: One packet", "reflex.app: Another packet"]
    assert [record.getMessage().partition(" (")[0] for record in logged] == said


def test_errors_of_different_tasks_are_each_said_once_by_their_types_and_places(logged: list[logging.LogRecord]):
    for fail in (lambda: int(SAID), lambda: {}[SAID], lambda: int(SAID)):
        try:
            fail()
        except (ValueError, KeyError):
            message = "\n".join(["Task exception was never retrieved", SAID])
            logging.getLogger("asyncio").error(message, exc_info=sys.exc_info())
    assert [str(record.exc_text).partition(" at ")[:2] for record in logged] == [
        ("ValueError", " at "),
        ("KeyError", " at "),
    ]
    for record in logged:
        assert record.getMessage().startswith("asyncio: Task exception was never retrieved (")
        assert SAID not in str(vars(record))


@pytest.mark.usefixtures("logged")
def test_a_warning_of_any_library_is_a_line_with_its_time_and_level(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(logging.root, "handlers", [])
    configure_logs("info", as_json=False)
    logging.getLogger("redis").warning("It is away")
    assert "WARNING redis: It is away (test_logs.py:" in capfd.readouterr().err
