"""Recordings as backends, and as fallbacks of backends."""

import asyncio
import json
from pathlib import Path

import pytest

from chat_ui.backends.replaying import Replaying, label_of_file
from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.generations import targets
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.records.records import FALLEN_BACK, Status, remark_on
from chat_ui.conversations.repository import Repository
from chat_ui.protocol.answers.pause import Decision
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import header_for
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Guard
from tests.backends.recorded import AT, QUESTION, RECORDED, backend_of, recording_of, replaying
from tests.protocol.asking import error_of
from tests.stand_ins.recorded_agent import recorded_agent
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT

LIVE = "given:Live"
EMPTY = lines({"delta": {"role": "assistant", "content": ""}})
PREPARING = lines({"context": {"data_points": {"text": ["live.pdf: Live."]}}})
FAILING = {
    "an error before any text": Reply(status=500),
    "an end before any text": Reply([EMPTY], end="abrupt"),
    "an error after sources": Reply([PREPARING, lines({"error": {"message": "No quota is left."}})]),
    "a refused connection": Reply(before_headers=True, end="rst"),
    "silence": Reply([float("inf")]),
}


async def asked(
    replayed: Replaying,
    backend: Backend,
    *,
    question: str = QUESTION,
    client: AsyncClient | None = None,
    times: int = 1,
) -> LocalGeneration:
    """The last answer to the question, asked that many times."""
    conversation = Conversation("ann", Repository(find_targets=replayed.targets))
    async with client or AsyncClient(guard=Guard("local")) as asking:
        turn = conversation.ask(asking, backend, question, {})
        await turn.generation.wait_for_end()
        for _ in range(1, times):
            turn = conversation.answer_again(asking, backend, {})
            await turn.generation.wait_for_end()
    generation = conversation.generation(turn.generation.id)
    assert generation is not None
    return generation


async def asked_live(reply: Reply, path: Path, question: str = QUESTION) -> tuple[LocalGeneration, Backend]:
    """The answer of a backend with this reply, or of its fallback."""
    async with StandIn(reply).running() as stand_in:
        backend = Backend(f"{stand_in.url}/chat", profile=LIVE, name="Live")
        return await asked(replaying(fallback={LIVE: path}), backend, question=question), backend


async def approved(replayed: Replaying, backend: Backend) -> LocalGeneration:
    """The answer to the approval of an agent's request."""
    conversation = Conversation("ann", Repository(find_targets=replayed.targets))
    async with AsyncClient(guard=Guard("local")) as client:
        paused = conversation.generation(conversation.ask(client, backend, "mail", {}).generation.id)
        assert paused is not None
        await paused.wait_for_end()
        assert paused.status is Status.WAITING and paused.answer.pause is not None
        decision = Decision(paused.answer.pause.interrupts[0].id, "approved")
        turn = await conversation.decide(client, backend, paused.id, [decision], "Approved")
        await turn.generation.wait_for_end()
        decided = conversation.generation(turn.generation.id)
    assert decided is not None
    return decided


async def nobody(host: str, port: int) -> list[str]:
    raise AssertionError(f"{host}:{port} was looked up")


@pytest.mark.parametrize(("times", "text"), [(1, "First."), (2, "Second."), (3, "Second.")])
async def test_a_question_gets_its_next_recording_without_a_dns_lookup(tmp_path: Path, times: int, text: str):
    path = recording_of(tmp_path / "a.jsonl", "First.", "Second.")
    backend = backend_of(path)
    alone = AsyncClient(resolver=nobody)
    found = await asked(replaying((path,)), backend, question="who pays  for GLASSES?", client=alone, times=times)
    assert (found.answer.text, found.answer.recorded_at, found.status) == (text, AT, Status.FINISHED)
    assert found.head.recorded_at == AT


async def test_a_missing_recording_is_reported(tmp_path: Path):
    path = recording_of(tmp_path / "a.jsonl", "First.")
    backend, replayed = backend_of(path), replaying((path,))
    path.unlink()
    found = await asked(replayed, backend)
    assert found.status is Status.FAILED
    assert error_of(found.answer).message.startswith("The recording is not available any more.")
    assert str(tmp_path) not in error_of(found.answer).message


@pytest.mark.parametrize("reply", FAILING.values(), ids=FAILING)
async def test_the_fallback_answers_when_the_backend_brings_no_text(
    tmp_path: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
):
    path = recording_of(tmp_path / "a.jsonl", RECORDED)
    if reply is FAILING["silence"]:
        monkeypatch.setattr(targets, "SILENT_SECONDS", 0.5)
    async with StandIn(reply).running() as stand_in:
        backend = Backend(f"{stand_in.url}/chat", profile=LIVE, name="Live")
        found = await asked(replaying(fallback={LIVE: path}), backend)
        if reply is FAILING["silence"]:
            for request in stand_in.requests:
                await request.left.wait()
    assert (found.answer.text, found.answer.recorded_at, found.answer.error) == (RECORDED, AT, None)
    assert found.answer.data_points == ()
    remark = remark_on(found.answer)
    assert remark is not None
    assert (remark.code, "within 5 seconds" in remark.detail) == (FALLEN_BACK, reply is FAILING["silence"])
    # The conversation goes on with the backend; documents come from the recording.
    assert found.asked_of == {**backend.memory, "recording": label_of_file(path)}


async def test_a_decision_is_recorded_and_a_recorded_request_gets_none(tmp_path: Path):
    agent, path = recorded_agent(), tmp_path / "a.jsonl"
    recorder = Recorder(path, header_for(Backend("http://127.0.0.1/agent")), on_failure=pytest.fail)
    live = replaying()
    live.through = lambda client, _: client.with_transport(lambda inner: RecordingTransport(inner, recorder))
    async with StandIn(agent).running() as stand_in:
        decided = await approved(live, Backend(f"{stand_in.url}/agent"))
    assert decided.answer.text == "Done: sent to bob@example.com"
    recorder.close()
    assert len(Recording.open(path).exchanges) == 2
    # A recorded pause is shown without text too, as a fallback.
    path.write_text(path.read_text().replace("I will write to Ann.", ""))
    for replayed, backend in (
        (replaying((path,)), backend_of(path)),
        (replaying(fallback={LIVE: path}), Backend("http://127.0.0.1:1/agent", profile=LIVE)),
    ):
        with pytest.raises(InvalidRequestError, match="A recording does not take decisions"):
            await approved(replayed, backend)


@pytest.mark.parametrize(
    ("reply", "question", "text", "status"),
    [
        (Reply(status=500), "What is new?", "", Status.FAILED),
        (Reply([lines({"delta": {"content": "Live words"}})], end="abrupt"), QUESTION, "Live words", Status.CUT_OFF),
        (Reply([lines({"delta": {"content": "Live."}})]), QUESTION, "Live.", Status.FINISHED),
    ],
    ids=["a question that is not in it", "text that broke off", "an answer"],
)
async def test_text_from_the_backend_stays(tmp_path: Path, reply: Reply, question: str, text: str, status: Status):
    path = recording_of(tmp_path / "a.jsonl", RECORDED)
    found, backend = await asked_live(reply, path, question)
    assert (found.answer.text, found.status, found.answer.recorded_at) == (text, status, None)
    assert found.asked_of["url"] == backend.url
    assert "recording" not in found.asked_of


async def test_only_a_complete_recording_is_a_fallback(tmp_path: Path):
    cut = recording_of(tmp_path / "cut.jsonl", RECORDED)
    cut.write_text(cut.read_text().replace('"end", ""', '"cut", ""'))
    both = recording_of(tmp_path / "both.jsonl", "Half", RECORDED)
    both.write_text(both.read_text().replace('"end", ""', '"cut", ""', 1))
    live, complete = [(await asked_live(Reply(status=500), path))[0] for path in (cut, both)]
    assert error_of(live.answer).status == 500
    assert (complete.answer.text, complete.answer.error) == (RECORDED, None)


WITHOUT_TEXT: dict[str, JsonObject] = {
    "an error": {"error": {"message": "Recorded quota"}},
    "white space": {"delta": {"role": "assistant", "content": " "}},
    "nothing": {"delta": {"role": "assistant", "content": ""}},
}


@pytest.mark.parametrize("said", WITHOUT_TEXT.values(), ids=WITHOUT_TEXT)
async def test_a_fallback_without_text_leaves_the_answer_of_the_backend(tmp_path: Path, said: JsonObject):
    path = recording_of(tmp_path / "a.jsonl", RECORDED)
    sources = {"context": {"data_points": {"text": ["recorded.pdf: Recorded."]}}}
    readings = [json.dumps([0.01, "text", json.dumps(line) + "\n"]) for line in (sources, said)]
    path.write_text("\n".join([*path.read_text().splitlines()[:2], *readings, '[0.02, "end", ""]']) + "\n")
    found, backend = await asked_live(FAILING["an error after sources"], path)
    assert (found.status, found.answer.recorded_at, remark_on(found.answer)) == (Status.FAILED, None, None)
    assert error_of(found.answer).message == "No quota is left."
    assert [point.source for point in found.answer.data_points] == ["live.pdf"]
    assert found.asked_of == backend.memory


def without_status(path: Path, ending: list[object]) -> tuple[Path, Backend]:
    """A recording of one question that ended before a status, and its backend. Its header has another date."""
    head, exchange, *_ = recording_of(path, RECORDED).read_text().splitlines()
    exchange = exchange.replace('"status": 200', '"status": null')
    path.write_text(f"{head}\n{exchange}\n{json.dumps(ending)}\n")
    return path, Backend("http://recording.invalid/chat/stream", recording=label_of_file(path))


async def test_an_end_in_the_recording_is_told_of_the_recording_with_its_date(tmp_path: Path):
    for how, why in (("cut", "no connection"), ("cut", ""), ("reset", ""), ("stopped", "nothing came")):
        path, backend = without_status(tmp_path / "a.jsonl", [0.01, how, why])
        found = await asked(replaying((path,)), backend)
        assert error_of(found.answer).message == "In the recording, the backend could not be reached."
        assert found.answer.recorded_at == AT


async def test_the_date_of_a_recording_comes_before_its_answer(tmp_path: Path):
    path, backend = without_status(tmp_path / "a.jsonl", [3600, "reset", ""])
    conversation = Conversation("ann", Repository(find_targets=replaying((path,)).targets))
    async with AsyncClient(guard=Guard("local")) as asking, asyncio.timeout(TIMEOUT):
        generation = conversation.ask(asking, backend, QUESTION, {}).generation
        while generation.answer.recorded_at is None:
            await generation.signal.wait(generation.signal.revision)
        await generation.stop()
    assert (generation.status, generation.answer.text, generation.head.recorded_at) == (Status.STOPPED, "", AT)


async def test_a_recorded_header_cannot_hide_the_date(tmp_path: Path):
    path = recording_of(tmp_path / "a.jsonl", RECORDED)
    far = '"headers": {"chat-ui-recorded": "0001-01-01T00:00:00+14:00", '
    path.write_text(path.read_text().replace('"headers": {', far))
    found = await asked(replaying((path,)), backend_of(path))
    assert (found.answer.text, found.answer.recorded_at) == (RECORDED, AT)


async def test_a_recorded_session_does_not_go_to_the_backend(tmp_path: Path):
    path = recording_of(tmp_path / "a.jsonl", RECORDED)
    path.write_text(path.read_text().replace('"{\\"delta\\"', '"{\\"session_state\\": \\"old\\", \\"delta\\"'))
    fallback, _ = await asked_live(Reply(status=500), path)
    assert (await asked(replaying((path,)), backend_of(path))).answer.session_state is not None
    assert (fallback.answer.text, fallback.answer.session_state) == (RECORDED, None)


async def test_an_unknown_recording_id_answers_nothing(tmp_path: Path):
    path = recording_of(tmp_path / "a.jsonl", "Of nobody.")
    for name in (str(path), label_of_file(path)):
        found = await asked(replaying(), Backend("http://recording.invalid/chat", recording=name))
        assert (found.answer.text, found.status) == ("", Status.FAILED)
