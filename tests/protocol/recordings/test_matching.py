import json
import threading
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import ClassVar

import httpx2
import pytest

from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.recordings.recording import RecordedExchange, Recording
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN, ReplayTransport
from chat_ui.protocol.recordings.request_facts import request_facts
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, error_of
from tests.protocol.recordings.taping import RECORDED_BACKEND, answered, recorder, replaying
from tests.stand_ins.stand_in import lines

JSON = {"content-type": "application/json"}


def body(*questions: str, **more: object) -> bytes:
    messages = [{"role": "user", "content": question} for question in questions]
    return json.dumps({"messages": messages, **more}).encode()


def recording_of(path: Path, *exchanges: tuple[str, str, bytes], media_type: str = "application/jsonl") -> Recording:
    """A recording of these requests (method, path, body), each answered with its number."""
    with recorder(path) as opened:
        for number, (method, place, content) in enumerate(exchanges, 1):
            facts = request_facts(method, f"http://plans.example{place}", JSON, content)
            key = "delta" if "l" in media_type[-5:] else "message"
            said = lines({key: {"role": "assistant", "content": str(number)}})
            answered(opened, facts, {"Content-Type": media_type}, said)
    return Recording.open(path)


def number_of(
    recording: Recording, method: str, path: str, content: bytes, *, nth: int = 1, **options: object
) -> int | None:
    found = recording.matching(method, path, json.loads(content or b"null"), **options)  # type: ignore[arg-type]
    return found[min(nth, len(found)) - 1].number if found else None


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return recording_of(
        tmp_path / "a.jsonl",
        ("POST", "/chat/stream", body("Who pays?")),
        ("POST", "/chat/stream", body("Who pays?", "For all?")),
        ("POST", "/chat", body("Who pays?")),
        ("POST", "/chat/stream", body("For all?")),
        ("POST", "/chat/stream", body("Who pays?")),
        ("GET", "/content/a%20b.pdf?version=2&sig=abcdef", b""),
        ("POST", "/chat/stream", b"{}"),
    )


def test_a_request_is_matched_by_words_path_and_place_and_then_by_order(
    recording: Recording,
) -> None:
    for (path, *questions), number, strictly in (
        (("/chat/stream", "Who pays?"), 1, 1),
        (("/chat/stream?code=abcdef", "  who PAYS?\n"), 1, 1),
        (("/chat", "Who pays?"), 3, 3),
        (("/chat/stream", "Who pays?", "For all?"), 2, 2),
        (("/chat/stream", "For all?"), 4, 4),
        (("/chat", "For all?"), 4, 4),
        (("/v1/chat/completions", "For all?"), 4, None),
        (("/chat/stream", "a", "b", "c", "For all?"), 2, None),
        (("/chat/stream", "Who pays? For all?"), None, None),
    ):
        found = [number_of(recording, "POST", path, body(*questions), strict=strict) for strict in (False, True)]
        assert found == [number, strictly], (path, questions)
    asked = [number_of(recording, "POST", "/chat/stream", body("Who pays?"), nth=nth) for nth in (1, 2, 3, 99)]
    assert asked == [1, 5, 5, 5]
    numbers = {
        ("GET", "/content/a%20b.pdf?version=2"): 6,
        ("GET", "/content/a b.pdf?sig=other-key&version=2"): 6,
        ("GET", "/content/a%20b.pdf"): None,
        ("GET", "/content/b.pdf?version=2"): None,
        ("HEAD", "/content/a%20b.pdf?version=2"): None,
        ("POST", "/chat/stream"): 7,
    }
    assert {asked: number_of(recording, *asked, b"") for asked in numbers} == numbers


def test_an_exchange_in_the_accepted_form_is_preferred(tmp_path: Path) -> None:
    forms: list[dict[str, object]] = [{"context": {"overrides": {}}}, {"stream": True}, {}]
    recording = recording_of(tmp_path / "a.jsonl", *(("POST", "/chat", body("Who?", **form)) for form in forms))
    top: dict[str, object] = {"context": {"overrides": {"top": 3}}}
    asked = [{}, {"stream": True}, top, {"stream": True, "model": "m"}]
    assert [number_of(recording, "POST", "/chat", body("Who?", **form)) for form in asked] == [3, 2, 1, 2]


def test_a_path_with_a_key_matches_with_another_key(tmp_path: Path) -> None:
    headers = {**JSON, "api-key": "s3cr3t-t0ken-17"}
    with recorder(tmp_path / "a.jsonl") as opened:
        answered(opened, request_facts("POST", "http://a/bot/s3cr3t-t0ken-17/chat", headers, body("Who?")), {})
    recording = Recording.open(tmp_path / "a.jsonl")
    assert recording.exchanges[0].path == "/bot/…/chat"
    assert number_of(recording, "POST", "/bot/other/chat", body("Who?"), strict=True) == 1
    assert number_of(recording, "POST", "/bot/other/talk", body("Who?"), strict=True) is None


async def test_a_repeated_question_gets_the_next_answer_over_the_transport(recording: Recording) -> None:
    asked = ChatRequest((Message("user", "who pays?"),))
    async with AsyncClient(PATIENT) as client:
        replayed = replaying(client, recording)
        texts = [(await replayed.ask(RECORDED_BACKEND, asked)).text for _ in range(3)]
        fixed = replaying(client, recording, nth=2)
        texts += [(await fixed.ask(RECORDED_BACKEND, asked)).text for _ in range(2)]
    assert texts == ["1", "5", "5", "5", "5"]


NEAREST = {
    "application/jsonl": "/chat", "text/event-stream": "/v1/chat/completions",
    "application/json": "/v1/chat/completions", "text/plain": "/chat",
}  # fmt: skip


@pytest.mark.parametrize(("media_type", "place"), NEAREST.items())
async def test_a_missing_question_offers_the_nearest(media_type: str, place: str, tmp_path: Path) -> None:
    questions = ["Who pays?", "What is a deductible?", "Who pays for new glasses?", "Where do I send a bill?"]
    exchanges = [("POST", place, body(question)) for question in questions]
    recording = recording_of(tmp_path / "a.jsonl", *exchanges, media_type=media_type)
    asked = ChatRequest((Message("user", "WHO pays for the glasses?"),))
    async with AsyncClient(PATIENT) as client:
        answer = await replaying(client, recording).ask(Backend(RECORDED_ORIGIN + place), asked)
        strictly = await replaying(client, recording, strict=True).ask(Backend(RECORDED_ORIGIN + place), asked)
    assert "This question is not in the recording." in answer.text
    assert answer.followup_questions == (questions[2], questions[0], questions[1])
    assert (answer.complete, answer.error) == (True, None)
    assert answer.recorded_at is not None
    assert (error_of(strictly).status, error_of(strictly).code) == (404, "not_recorded")
    assert "This question is not in the recording" in error_of(strictly).message


class _Watched(tuple[RecordedExchange, ...]):
    """Exchanges that note the threads of their readers."""

    threads: ClassVar[list[threading.Thread]] = []

    def __iter__(self) -> Iterator[RecordedExchange]:
        self.threads.append(threading.current_thread())
        return super().__iter__()


async def test_the_nearest_questions_are_searched_in_a_thread(tmp_path: Path) -> None:
    long = "glasses " + "and more " * 200
    questions = ["Who pays?", f"{long} bills", "What is a deductible?"]
    recording = recording_of(tmp_path / "a.jsonl", *(("POST", "/chat", body(question)) for question in questions))
    watched = Recording(recording.path, recording.header, _Watched(recording.exchanges))
    async with AsyncClient(PATIENT) as client:
        asked = ChatRequest((Message("user", "Where are bills?"),))
        answer = await replaying(client, watched).ask(RECORDED_BACKEND, asked)
    assert answer.followup_questions == (questions[0], questions[1].strip(), questions[2])
    assert {thread is threading.main_thread() for thread in _Watched.threads} == {True, False}


async def test_other_missing_requests_say_whether_a_backend_exists(recording: Recording) -> None:
    async with httpx2.AsyncClient(transport=ReplayTransport(recording, speed=inf), base_url=RECORDED_ORIGIN) as http:
        found = [
            (await http.request(method, path)).status_code
            for method, path in (("OPTIONS", "/chat"), ("POST", "/chat"), ("POST", "/talk"), ("GET", "/none.pdf"))
        ]
        allowed = (await http.options("/chat")).headers["allow"]
    assert found == [204, 400, 404, 404]
    assert allowed == "OPTIONS, POST"


def test_a_part_of_a_document_is_matched_by_its_range(tmp_path: Path) -> None:
    facts = request_facts("GET", "http://plans.example/a.pdf", {}, b"")
    with recorder(tmp_path / "a.jsonl") as opened:
        for status, part in ((206, "0-1023"), (206, "0-4999"), (206, "1024-2047"), (200, None), (304, None)):
            answered(opened, facts, {"Content-Range": f"bytes {part}/5000"} if part else {}, status=status)
    recording = Recording.open(tmp_path / "a.jsonl")
    for asked, number in (
        ({}, 4),
        ({"Range": "bytes=0-1023"}, 1),
        ({"range": "bytes=0-9999"}, 2),
        ({"range": "bytes=0-"}, 2),
        ({"range": "bytes=1024-2047"}, 3),
        ({"range": "bytes=0-9"}, 4),
        ({"range": "bytes=-500"}, 4),
        ({"if-none-match": "1"}, 4),
    ):
        assert number_of(recording, "GET", "/a.pdf", b"", headers=asked) == number, asked
