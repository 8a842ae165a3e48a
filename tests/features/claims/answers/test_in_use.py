"""The check of claims in a server and in commands."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chat_ui.features.claims.answers.checking import checked
from chat_ui.features.evaluation.bounds import parse_bound
from chat_ui.features.evaluation.results import measure
from chat_ui.features.evaluation.summary import Summary
from chat_ui.installed import FEATURES
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering import claim_check
from chat_ui.rendering.answer import RenderedAnswer
from tests.commands import run
from tests.features.claims.answers.test_checking import FEES, LEAVE, WRONG, answered
from tests.page.routes.running_app import person, running_app
from tests.rendering.streaming import ShownBlocks
from tests.stand_ins.stand_in import Reply, StandIn, in_thread, lines

SOURCES = [f"{point.id}: {point.text}" for point in (LEAVE, FEES)]
TEXT = f"{WRONG} The fee for members is $40 a month [c.pdf]."
ANSWER = lines({"delta": {"content": TEXT}, "context": {"data_points": {"text": SOURCES}}})


@pytest.fixture(autouse=True)
def no_check() -> Iterator[None]:
    yield
    claim_check.use(None)


@contextmanager
def answer_of(folder: Path, features: Any = FEATURES, **chosen: Any) -> Iterator[tuple[httpx2.Client, str]]:
    """A person with the answer, and its address."""
    with in_thread(StandIn(lambda _: Reply([ANSWER]))) as backend:
        ours = f"{backend.url}/chat"
        with running_app(folder, features, backend_url=ours, **chosen) as url, person(url) as me:
            answer = me.post("/ask", params={"backend": ours}, content="How long?").text
            yield me, f"/api/answers/{answer}"


def test_the_text_is_there_before_its_marks(tmp_path: Path):
    with answer_of(tmp_path) as (me, answer):
        assert "claim-differs" not in me.get(answer).text
        assert '<template data-block="-1">' in me.get(f"{answer}/grounding").text
        assert "claim-note" in me.get(f"{answer}/cards").text
        assert "The passage says" in me.get(f"{answer}/sources?use=0").text
        assert 'mark class="claim-part">12 weeks' in me.get(f"{answer}/passages/0?use=0").text


def failing(answer: Answer, rendered: RenderedAnswer) -> RenderedAnswer:
    raise ValueError("This text cannot be read.")


def test_a_failed_comparison_costs_only_the_marks(tmp_path: Path):
    with answer_of(tmp_path) as (me, answer):
        claim_check.use(failing)
        shown = me.get(f"{answer}/grounding").text
        assert "All claims cited" in shown
        assert "claims-line" not in shown
        assert "12 weeks" in me.get(f"{answer}/sources?use=0").text


def take(line: str, shown: ShownBlocks) -> None:
    """Take a line of a stream of frames."""
    if line.startswith("data: ["):
        shown.take(json.loads(line.removeprefix("data: ")))


def test_a_complete_sentence_is_marked_while_the_answer_streams_and_for_a_late_reader(tmp_path: Path):
    first, *others = [
        lines({"delta": {"content": text}, "context": {"data_points": {"text": SOURCES}}}) for text in (TEXT, " Fine.")
    ]
    go_on, loops = asyncio.Event(), []

    def reply(_: object) -> Reply:
        loops.append(asyncio.get_running_loop())
        return Reply([first, go_on, *others])

    with in_thread(StandIn(reply)) as backend, running_app(tmp_path) as url, person(url) as me:
        params = {"backend": f"{backend.url}/chat", "running": ""}
        address = f"/api/answers/{me.post('/ask', params=params, content='How long?').text}"
        for is_last in (False, True):
            with me.stream("GET", f"{address}/stream") as response:
                shown = ShownBlocks()
                events = response.iter_lines()
                while "20 weeks</span>" not in "".join(shown.html):
                    take(next(events), shown)
                if is_last:
                    loops[0].call_soon_threadsafe(go_on.set)
                    for line in events:
                        take(line, shown)
        assert shown.html[0] in me.get(f"{address}/grounding").text


@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_without_the_feature_or_with_it_off_has_no_marks(tmp_path: Path, is_there: bool):
    others = [feature for feature in FEATURES if is_there or feature.name != "claims"]
    with answer_of(tmp_path, others, **({"claims": False} if is_there else {})) as (me, answer):
        assert "claim" not in me.get(f"{answer}/grounding").text.replace("claims cited", "").replace("A claim is", "")
        assert "claim-" not in me.get(answer).text
        assert "claim-note" not in me.get(f"{answer}/sources?use=0").text


async def test_ask_prints_the_claims_as_json():
    async with StandIn(Reply([ANSWER])).running() as backend:
        ran = await run("ask", f"{backend.url}/chat", "How long?", "--json")
    claims = json.loads(ran.out)["claims"]
    assert claims[0] == {
        "sentence": "Parents get 20 weeks of paid leave", "citations": [1], "verdict": "differs",
        "parts": [{"text": "20 weeks", "kind": "number", "verdict": "differs", "passage": "a.pdf"}],
    }  # fmt: skip
    assert [claim["verdict"] for claim in claims] == ["differs", "found"]


def test_the_measures_have_bounds():
    claim_check.use(checked)
    measures = measure(answered(TEXT), "")
    assert (measures.claims_found, measures.parts_differ) == (0.5, ("20 weeks",))
    summary = Summary.of([measures.as_json()], 1)
    assert parse_bound("claims_found<0.9").check(summary).has_failed
    assert parse_bound("parts_differ>0").check(summary).has_failed
    uncompared = measure(answered("Hello."), "")
    assert (uncompared.claims_found, uncompared.parts_differ) == (None, None)
