"""What people say of answers over HTTP, and the files of it."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from chat_ui.conversations.records.feedback import LONGEST_COMMENT, MOST_DOUBTED
from chat_ui.evaluation.question_set import parse_questions
from tests.backends.stand_in import Received, Reply, StandIn, in_thread, lines
from tests.routes.listing import API, listed, person, put, talk
from tests.routes.whole import whole

TOKEN = "a-token-of-the-operators"
OPERATOR = {"Authorization": f"Bearer {TOKEN}"}
NOTHING = {"rating": None, "reasons": [], "comment": "", "doubted": []}
MANY = "many"


def reply(received: Received) -> Reply:
    """An answer that cites two sources, and one that is not there; for `many` it cites more often than can be doubted,
    and for `running` it never ends.
    """
    question = received.json["messages"][-1]["content"]
    points = [{"id": "Buoys.pdf", "text": "Buoys are red."}, {"id": "Ropes.pdf", "text": "Ropes are long."}]
    text = "They are red [Buoys.pdf]. Ropes are short [Ropes.pdf]. So are chains [Chains.pdf]."
    if question == MANY:
        text = " ".join(f"Buoy {number} is red [Buoys.pdf]." for number in range(MOST_DOUBTED + 1))
    answer = lines({"delta": {"content": text}, "context": {"data_points": points}})
    return Reply([answer, *([float("inf")] if question == "running" else [])])


@pytest.fixture(scope="module")
def backend() -> Iterator[str]:
    with in_thread(StandIn(reply)) as stand_in:
        yield f"{stand_in.url}/chat"


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with whole(tmp_path_factory.mktemp("feedback"), feedback_token=TOKEN) as url:
        yield url


@pytest.fixture
def me(page_url: str) -> Iterator[httpx.Client]:
    with person(page_url) as client:
        yield client


@pytest.fixture
def other(page_url: str) -> Iterator[httpx.Client]:
    with person(page_url) as client:
        yield client


def asked(client: httpx.Client, backend: str, question: str = "What is red?", **query: str) -> str:
    """The address of the feedback on the answer to a question."""
    return f"/api/answers/{client.post('/ask', params={'backend': backend, **query}, content=question).text}/feedback"


def said(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


def mine(client: httpx.Client) -> list[dict[str, Any]]:
    return [json.loads(line) for line in client.get("/api/feedback/mine").text.splitlines()]


def test_a_rating_is_kept_changed_and_taken_back(me: httpx.Client, backend: str):
    address = asked(me, backend)
    assert said(me.get(address)) == NOTHING
    bad = {"rating": "bad", "reasons": ["wrong", "tone", "wrong"], "comment": "  Buoys are green. "}
    kept = {"rating": "bad", "reasons": ["wrong", "tone"], "comment": "Buoys are green.", "doubted": []}
    assert said(me.put(address, json=bad)) == kept
    assert said(me.get(address)) == kept
    assert said(me.put(address, json={"rating": "good"})) == {
        **NOTHING,
        "rating": "good",
        "comment": "Buoys are green.",
    }
    good = {"rating": "good", "reasons": ["wrong"], "comment": "Fine."}
    assert said(me.put(address, json=good)) == {**NOTHING, "rating": "good", "comment": "Fine."}
    assert said(me.delete(address)) == NOTHING
    assert said(me.get(address)) == NOTHING
    assert mine(me) == []


def test_one_citation_is_doubted_and_the_rating_stays_apart_from_it(me: httpx.Client, backend: str):
    address = asked(me, backend)
    assert said(me.put(f"{address}/citations/1", json={"comment": "They are long."}))["doubted"] == [
        {"use": 1, "comment": "They are long."}
    ]
    assert said(me.put(address, json={"rating": "bad"}))["doubted"] == [{"use": 1, "comment": "They are long."}]
    assert said(me.put(f"{address}/citations/0", json={}))["doubted"] == [
        {"use": 0, "comment": ""},
        {"use": 1, "comment": "They are long."},
    ]
    assert said(me.delete(f"{address}/citations/0"))["doubted"] == [{"use": 1, "comment": "They are long."}]
    assert said(me.delete(address)) == {**NOTHING, "doubted": [{"use": 1, "comment": "They are long."}]}
    [line] = mine(me)
    assert line["rating"] is None
    assert line["doubted"] == [
        {
            "use": 2,
            "label": "Ropes.pdf",
            "claim": "Ropes are short",
            "passage": "Ropes are long.",
            "comment": "They are long.",
        }
    ]
    assert said(me.delete(f"{address}/citations/1")) == NOTHING
    assert mine(me) == []


def test_a_citation_of_a_source_that_is_not_there_can_be_doubted_and_one_that_is_none_cannot(
    me: httpx.Client, backend: str
):
    address = asked(me, backend)
    said(me.put(f"{address}/citations/2", json={}))
    assert "passage" not in mine(me)[0]["doubted"][0]
    refused = me.put(f"{address}/citations/3", json={})
    assert (refused.status_code, refused.text) == (404, "There is no such citation.")
    assert me.put(f"{address}/citations/{10**30}", json={}).status_code == 404
    assert me.put(f"{address}/citations/-1", json={}).status_code == 404


def test_so_many_citations_of_an_answer_can_be_doubted(me: httpx.Client, backend: str):
    address = asked(me, backend, MANY)
    for use in range(MOST_DOUBTED):
        said(me.put(f"{address}/citations/{use}", json={}))
    refused = me.put(f"{address}/citations/{MOST_DOUBTED}", json={})
    assert (refused.status_code, refused.text) == (
        409,
        f"You doubt {MOST_DOUBTED} citations of this answer already.",
    )
    assert said(me.put(f"{address}/citations/0", json={"comment": "again"}))["doubted"][0]["comment"] == "again"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b"[]",
        b'"good"',
        b"{}",
        b'{"rating": null}',
        b'{"rating": "fine"}',
        b'{"rating": ["good"]}',
        b'{"rating": "bad", "reasons": "wrong"}',
        b'{"rating": "bad", "reasons": ["boring"]}',
        b'{"rating": "bad", "reasons": [["wrong"]]}',
        b'{"rating": "bad", "reasons": {"wrong": true}}',
        b'{"rating": "bad", "comment": 7}',
        json.dumps({"rating": "bad", "comment": "x" * (LONGEST_COMMENT + 1)}).encode(),
        b'{"rating": "bad", "comment": "' + b"x" * 100_000 + b'"}',
        b"[" * 60_000,
    ],
)
def test_what_is_no_feedback_is_refused_and_nothing_is_changed(me: httpx.Client, backend: str, body: bytes):
    address = asked(me, backend)
    said(me.put(address, json={"rating": "good"}))
    refused = me.put(address, content=body)
    assert (refused.status_code, refused.text) == (400, "This is no feedback that can be kept.")
    assert said(me.get(address))["rating"] == "good"


def test_a_comment_may_hold_anything_that_is_text(me: httpx.Client, backend: str):
    address = asked(me, backend)
    comment = 'ä"\\\n=HYPERLINK("x")\u2028<b>\N{GRINNING FACE}'
    assert said(me.put(address, json={"rating": "good", "comment": comment}))["comment"] == comment
    odd = b'{"rating": "good", "comment": "a\\u0000b\\ud800c"}'
    said(me.put(address, content=odd))
    kept = said(me.get(address))["comment"]
    assert kept.startswith("a")
    assert kept.endswith("c")
    assert "\0" not in kept
    assert mine(me)[0]["comment"] == kept


def test_nobody_rates_or_reads_about_the_answer_of_another(me: httpx.Client, other: httpx.Client, backend: str):
    address = asked(me, backend)
    said(me.put(address, json={"rating": "bad", "comment": "mine"}))
    for response in (
        other.get(address),
        other.put(address, json={"rating": "good"}),
        other.delete(address),
        other.put(f"{address}/citations/0", json={}),
        other.delete(f"{address}/citations/0"),
    ):
        assert (response.status_code, response.text) == (404, "There is no such answer.")
    assert said(me.get(address))["comment"] == "mine"
    assert mine(other) == []


def test_an_answer_that_is_still_written_cannot_be_rated(me: httpx.Client, backend: str):
    address = asked(me, backend, "running", running="yes")
    refused = me.put(address, json={"rating": "good"})
    assert (refused.status_code, refused.text) == (409, "The answer is still being written.")


def test_feedback_goes_with_its_conversation_and_comes_back_with_it(me: httpx.Client, backend: str):
    address = asked(me, backend)
    said(me.put(address, json={"rating": "bad", "comment": "gone?"}))
    conversation = listed(me)[0]["id"]
    assert me.delete(f"{API}{conversation}").status_code < 300
    assert mine(me) == []
    assert me.get(address).status_code == 404
    assert me.get("/api/feedback/all", headers=OPERATOR).text.count("gone?") == 0
    assert me.post(f"{API}{conversation}/restore").status_code < 300
    assert [line["comment"] for line in mine(me)] == ["gone?"]
    assert me.delete(API).status_code < 300
    assert mine(me) == []


def test_the_operator_reads_what_everybody_said_with_nothing_that_names_them(
    me: httpx.Client, other: httpx.Client, page_url: str, backend: str
):
    for client, comment in ((me, "from me"), (other, "from another")):
        said(client.put(asked(client, backend), json={"rating": "good", "comment": comment}))
    with httpx.Client(base_url=page_url) as operator:
        text = operator.get("/api/feedback/all", headers=OPERATOR).text
        found = [json.loads(line) for line in text.splitlines()]
        comments = [line["comment"] for line in found]
        assert comments.index("from me") < comments.index("from another")
        names = {"conversation", "owner", "person", "id"}
        assert all(not names & line.keys() for line in found)
        questions = parse_questions(text.encode())
        assert {one.truth for one in questions if one.text == "What is red?"} >= {found[-1]["answer"]}
        table = operator.get("/api/feedback/all", params={"as": "csv"}, headers=OPERATOR)
        assert table.headers["content-type"] == "text/csv; charset=utf-8"
        assert 'filename="feedback.csv"' in table.headers["content-disposition"]
        rows = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"), newline="")))
        assert {"from me", "from another"} <= {row["comment"] for row in rows}
        assert operator.get("/api/feedback/all", params={"as": "pdf"}, headers=OPERATOR).status_code == 400
        assert operator.get("/api/feedback/mine").status_code == 403


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN]
)
def test_without_the_token_nobody_reads_what_others_said(me: httpx.Client, backend: str, header: str | None):
    said(me.put(asked(me, backend), json={"rating": "good", "comment": "private"}))
    response = me.get("/api/feedback/all", headers={} if header is None else {"Authorization": header})
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert "private" not in response.text


def test_without_a_token_of_the_operators_there_is_no_such_address(tmp_path: Path):
    with whole(tmp_path) as url, person(url) as client:
        assert client.get("/api/feedback/all").status_code == 404
        assert client.get("/api/feedback/all", headers={"Authorization": "Bearer"}).status_code == 404
        assert client.get("/api/feedback/mine").text == ""


def test_there_is_no_feedback_where_there_is_no_room_for_it(tmp_path: Path, backend: str):
    with whole(tmp_path, person_bytes=10_000) as url, person(url) as client:
        address = asked(client, backend)
        refused = client.put(address, json={"rating": "bad", "comment": "x" * LONGEST_COMMENT})
        assert refused.status_code == 507
        assert "no room" in refused.text
        assert said(client.get(address)) == NOTHING


def test_feedback_goes_along_with_an_export_and_comes_back_with_its_import(
    me: httpx.Client, other: httpx.Client, backend: str
):
    address = asked(me, backend)
    said(me.put(address, json={"rating": "bad", "reasons": ["outdated"], "comment": "Since May."}))
    said(me.put(f"{address}/citations/1", json={"comment": "They are long."}))
    exported = me.get(f"{API}export").content
    assert other.post(f"{API}import", content=exported).json()["imported"] == 1
    [line], [copy] = mine(me), mine(other)
    changing = {"backend", "given_at", "answered_at"}
    assert {key: copy[key] for key in copy.keys() - changing} == {key: line[key] for key in line.keys() - changing}
    assert copy["given_at"] == line["given_at"]
    single = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": "json"}).json()
    assert single["conversations"][0]["turns"][0]["answers"][0]["feedback"]["rating"] == "bad"
    for form in ("markdown", "html"):
        text = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": form, "thoughts": "yes"}).text
        assert "Since May." not in text
        assert "They are long." not in text


@pytest.mark.parametrize(
    ("feedback", "rating", "reasons"),
    [
        ({"rating": "splendid", "doubted": [{"use": 0, "label": "a", "claim": "b"}]}, None, []),
        ({"rating": "bad", "reasons": ["boring", "tone"]}, "bad", ["tone"]),
        ({"rating": "bad", "reasons": ["tone", "tone"], "comment": "x" * 5000}, "bad", ["tone"]),
        ({"rating": "good", "reasons": ["tone"], "given_at": 1e300}, "good", []),
        ({"rating": "good", "doubted": [{"use": -1}, {"use": 1e30, "data_point": -5}] * 100}, "good", []),
    ],
)
def test_feedback_of_a_file_is_taken_as_far_as_it_is_known(
    me: httpx.Client, feedback: dict[str, Any], rating: str | None, reasons: list[str]
):
    put_with(me, feedback)
    [line] = mine(me)
    assert (line["rating"], line["reasons"]) == (rating, reasons)
    assert len(line["comment"]) <= LONGEST_COMMENT
    assert len(line["doubted"]) <= MOST_DOUBTED
    assert all(one["use"] >= 1 for one in line["doubted"])


@pytest.mark.parametrize("feedback", [7, [], "good", {"rating": 7}, {"reasons": "tone"}, {"doubted": [7]}, {}])
def test_what_is_no_feedback_in_a_file_is_passed_over(me: httpx.Client, feedback: Any):
    put_with(me, feedback)
    assert mine(me) == []


def put_with(client: httpx.Client, feedback: Any) -> None:
    """Import a conversation whose answer has this feedback."""
    made = talk("Imported", time.time(), "Red.")
    made["turns"][0]["answers"][0]["feedback"] = feedback
    put(client, made)
