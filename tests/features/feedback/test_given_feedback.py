"""Feedback over HTTP, and its files: owners, times and refusals."""

import asyncio
import csv
import io
import json
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chat_ui.conversations.records.feedback import LONGEST_COMMENT, MOST_DOUBTED
from chat_ui.features.evaluation.question_set import parse_questions
from tests.conversations.repository import execute
from tests.page.routes.running_app import API, listed, person, put, running_app, talk
from tests.stand_ins.stand_in import Received, Reply, StandIn, in_thread, lines

TOKEN = "a-token-of-the-operators"
OPERATOR = {"Authorization": f"Bearer {TOKEN}"}
NOTHING: dict[str, Any] = {"rating": None, "reasons": [], "comment": "", "doubted": {}}
MANY, LONG = "many", "long"
TOO_LONG = "x" * (LONGEST_COMMENT + 1)


def reply(received: Received) -> Reply:
    """An answer with two cited sources and a missing one.

    `many` cites beyond the limit of doubts, and `running` never ends.
    """
    question = received.json["messages"][-1]["content"]
    points = [{"id": "Buoys.pdf", "text": "Buoys are red."}, {"id": "Ropes.pdf", "text": "Ropes are long."}]
    text = "They are red [Buoys.pdf]. Ropes are short [Ropes.pdf]. So are chains [Chains.pdf]."
    if question == LONG:
        text += " Red." * 10_000
    if question == MANY:
        text = " ".join(f"Buoy {number} is red [Buoys.pdf]." for number in range(MOST_DOUBTED + 1))
    answer = lines({"delta": {"content": text}, "context": {"data_points": points}})
    return Reply([answer, *([float("inf")] if question == "running" else [])])


@pytest.fixture(scope="module")
def backend() -> Iterator[str]:
    with in_thread(StandIn(reply)) as stand_in:
        yield f"{stand_in.url}/chat"


@pytest.fixture(scope="module")
def whole_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(tmp_path_factory.mktemp("feedback"), feedback_token=TOKEN) as url:
        yield url


@pytest.fixture
def other(whole_url: str) -> Iterator[httpx2.Client]:
    with person(whole_url) as client:
        yield client


def asked(client: httpx2.Client, backend: str, question: str = "What is red?", **query: str) -> str:
    """The feedback address of the answer to a question."""
    return f"/api/answers/{client.post('/ask', params={'backend': backend, **query}, content=question).text}/feedback"


def said(response: httpx2.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


def change(client: httpx2.Client, address: str, **part: Any) -> Any:
    """The stored feedback after a change of these parts."""
    return said(client.patch(address, json=part))


def doubt(client: httpx2.Client, address: str, use: int, comment: str | None = "") -> Any:
    """The stored doubts after this one."""
    return change(client, address, doubted={use: comment})["doubted"]


def said_in(file: httpx2.Response) -> list[dict[str, Any]]:
    assert file.status_code == 200
    return [json.loads(line) for line in file.text.splitlines()]


def mine(client: httpx2.Client, **headers: str) -> list[dict[str, Any]]:
    return said_in(client.get("/api/feedback/mine", headers=headers))


def test_a_rating_is_kept_changed_and_withdrawn_by_its_owner(me: httpx2.Client, other: httpx2.Client, backend: str):
    address = asked(me, backend)
    assert said(me.get(address)) == NOTHING
    kept = {"rating": "bad", "reasons": ["wrong", "tone"], "comment": "Buoys are green.", "doubted": {}}
    reasons = ["wrong", "tone", "wrong"]
    assert change(me, address, rating="bad", reasons=reasons, comment="  Buoys are green. ") == kept
    assert said(me.get(address)) == kept
    for response in (other.get(address), other.patch(address, json={"rating": "good", "doubted": {"0": "theirs"}})):
        assert (response.status_code, response.text) == (404, "Answer not found.")
    assert mine(other) == []
    assert change(me, address, rating="bad") == kept
    assert change(me, address, reasons=["tone"]) == {**kept, "reasons": ["tone"]}
    good = {**kept, "rating": "good", "reasons": []}
    assert change(me, address, rating="good") == good
    assert change(me, address, reasons=["tone"]) == good
    assert change(me, address) == good
    comment = 'ä"\\\n=HYPERLINK("x")\u2028<b>\N{GRINNING FACE}'
    assert change(me, address, comment=comment)["comment"] == comment
    assert said(me.patch(address, content=b'{"comment": "a\\u0000b\\ud800c"}'))["comment"].startswith("a")
    assert "\0" not in said(me.get(address))["comment"]
    assert change(me, address, rating=None) == NOTHING
    assert change(me, address, reasons=["tone"], comment="Of nothing.") == NOTHING
    assert said(me.get(address)) == NOTHING
    assert mine(me) == []


def test_a_doubted_citation_and_the_rating_are_separate(me: httpx2.Client, backend: str):
    address = asked(me, backend)
    assert doubt(me, address, 1) == {"1": ""}
    assert doubt(me, address, 1, " They are long. ") == {"1": "They are long."}
    assert change(me, address, rating="bad")["doubted"] == {"1": "They are long."}
    assert doubt(me, address, 0) == {"0": "", "1": "They are long."}
    assert doubt(me, address, 0, None) == {"1": "They are long."}
    assert change(me, address, rating=None) == {**NOTHING, "doubted": {"1": "They are long."}}
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
    assert change(me, address, doubted={0: "Is it?", 1: None})["doubted"] == {"0": "Is it?"}
    assert change(me, address, doubted={0: None, 1: None}) == NOTHING
    assert mine(me) == []


def test_an_invalid_citation_or_one_beyond_the_limit_cannot_be_doubted(me: httpx2.Client, backend: str):
    address = asked(me, backend)
    doubt(me, address, 2)
    assert "passage" not in mine(me)[0]["doubted"][0]
    for doubts in ({"3": ""}, {"0": "", "999999999": ""}):
        refused = me.patch(address, json={"rating": "good", "doubted": doubts})
        assert (refused.status_code, refused.text) == (404, "Citation not found.")
    assert said(me.get(address)) == {**NOTHING, "doubted": {"2": ""}}
    many = asked(me, backend, MANY)
    change(me, many, doubted=dict.fromkeys(range(MOST_DOUBTED), ""))
    refused = me.patch(many, json={"doubted": {MOST_DOUBTED: ""}})
    words = f"You have marked {MOST_DOUBTED} citations of this answer, which is the limit. Unmark one first."
    assert (refused.status_code, refused.text) == (409, words)
    assert doubt(me, many, 0, "again")["0"] == "again"
    assert change(me, many, doubted={0: None, MOST_DOUBTED: ""})["doubted"].keys() >= {str(MOST_DOUBTED)}


NO_FEEDBACK = [
    *(b"", b"no json", b"[]", b'"good"', b"[" * 60_000, b'{"comment": "' + b"x" * 200_000 + b'"}'),
    *(b'{"rating": "fine"}', b'{"rating": ["good"]}', b'{"comment": 7}', b'{"comment": null}'),
    *(b'{"reasons": "wrong"}', b'{"reasons": ["boring"]}', b'{"reasons": ["WRONG"]}', b'{"reasons": [["wrong"]]}'),
    *(b'{"doubted": [0]}', b'{"doubted": {"0": 7}}', b'{"doubted": {"-1": ""}}', b'{"doubted": {"one": ""}}'),
    b'{"doubted": {"' + b"9" * 5000 + b'": ""}}',
    '{"doubted": {"\u0663": ""}}'.encode(),
    *(json.dumps(one).encode() for one in ({"comment": TOO_LONG}, {"doubted": {"0": TOO_LONG}})),
]


def test_invalid_feedback_is_refused_and_changes_nothing(me: httpx2.Client, backend: str):
    address = asked(me, backend)
    kept = change(me, address, rating="bad", reasons=["tone"], comment="It is.", doubted={0: "Is it?"})
    for body in NO_FEEDBACK:
        refused = me.patch(address, content=body)
        assert (refused.status_code, refused.text) == (400, "This feedback is not valid."), body[:40]
    assert said(me.get(address)) == kept
    refused = me.patch(asked(me, backend, "running", running="yes"), json={"rating": "good"})
    assert (refused.status_code, refused.text) == (409, "The answer is still being written.")


def test_the_operator_reads_all_feedback_without_names(
    me: httpx2.Client, other: httpx2.Client, whole_url: str, backend: str
):
    for client, comment in ((me, "from me"), (other, "from another")):
        change(client, asked(client, backend), rating="good", comment=comment)
    assert [line["comment"] for line in mine(me, **OPERATOR)] == ["from me"]
    with httpx2.Client(base_url=whole_url) as operator:
        text = operator.get("/api/feedback/all", headers=OPERATOR).text
        found = [json.loads(line) for line in text.splitlines()]
        comments = [line["comment"] for line in found]
        assert comments.index("from me") < comments.index("from another")
        names = {"conversation", "owner", "person", "id"}
        assert all(not names & line.keys() for line in found)
        questions = parse_questions(text.encode()).questions
        assert {one.truth for one in questions if one.text == "What is red?"} >= {found[-1]["answer"]}
        table = operator.get("/api/feedback/all", params={"as": "csv"}, headers=OPERATOR)
        assert table.headers["content-type"] == "text/csv; charset=utf-8"
        assert 'filename="feedback.csv"' in table.headers["content-disposition"]
        rows = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"), newline="")))
        assert {"from me", "from another"} <= {row["comment"] for row in rows}
        assert operator.get("/api/feedback/all", params={"as": "pdf"}, headers=OPERATOR).status_code == 400
        assert operator.get("/api/feedback/mine").status_code == 403


def test_others_feedback_needs_the_operators_token(me: httpx2.Client, backend: str, tmp_path: Path):
    change(me, asked(me, backend), rating="good", comment="private")
    for header in (None, "", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", TOKEN):
        response = me.get("/api/feedback/all", headers={} if header is None else {"Authorization": header})
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
        assert "private" not in response.text
    # Without an operator's token the address is missing.
    with running_app(tmp_path) as url, person(url) as client:
        for headers in ({}, {"Authorization": "Bearer"}):
            assert client.get("/api/feedback/all", headers=headers).status_code == 404
        assert client.get("/api/feedback/mine").text == ""


def test_a_full_store_refuses_additions_and_accepts_withdrawals(tmp_path: Path, backend: str):
    with running_app(tmp_path, person_bytes=40_000) as url, person(url) as client:

        def patch(address: str, **part: Any) -> httpx2.Response:
            return client.patch(address, json=part)

        address = asked(client, backend, MANY)
        for use in range(MOST_DOUBTED):
            if (refused := patch(address, doubted={use: "x" * LONGEST_COMMENT})).status_code != 200:
                break
        assert refused.status_code == 507
        assert "Not enough storage" in refused.text
        # An answer may exceed the quota if any room is left.
        other = asked(client, backend, LONG)
        assert patch(address, doubted={use: "x"}).status_code == 507
        assert patch(other, doubted={0: ""}).status_code == 507
        for rating in ("good", "bad"):
            assert change(client, other, rating=rating)["rating"] == rating
        assert change(client, other, reasons=["tone"])["reasons"] == ["tone"]
        assert patch(other, comment="No.").status_code == 507
        assert doubt(client, address, 0, "Shorter.")["0"] == "Shorter."
        assert change(client, address, doubted=dict.fromkeys(range(use + 1))) == NOTHING
        assert change(client, other, rating=None) == NOTHING


def test_feedback_is_exported_and_imported(me: httpx2.Client, other: httpx2.Client, backend: str):
    address = asked(me, backend)
    change(me, address, rating="bad", reasons=["outdated"], comment="Since May.")
    doubt(me, address, 1, "They are long.")
    began = time.time()
    exported = me.get(f"{API}export").content
    assert other.post(f"{API}import", content=exported).json()["imported"] == 1
    [line], [copy] = mine(me), mine(other)
    changing = {"backend", "given_at", "answered_at", "imported"}
    assert {key: copy[key] for key in copy.keys() - changing} == {key: line[key] for key in line.keys() - changing}
    assert (copy["imported"], "imported" in line) == (True, False)
    assert datetime.fromisoformat(copy["given_at"]).timestamp() >= int(began)
    single = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": "json"}).json()
    assert single["conversations"][0]["turns"][0]["answers"][0]["feedback"]["rating"] == "bad"
    for form in ("markdown", "html"):
        text = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": form, "thoughts": "yes"}).text
        assert "Since May." not in text
        assert "They are long." not in text


def test_imported_feedback_is_taken_as_far_as_known(whole_url: str, me: httpx2.Client):
    for feedback in (7, [], "good", {"rating": 7}, {"reasons": "tone"}, {"doubted": [7]}, {}):
        put_with(me, feedback)
    assert mine(me) == []
    of_files: list[tuple[dict[str, Any], str | None, list[str]]] = [
        ({"rating": "splendid", "doubted": [{"use": 0, "label": "a", "claim": "b"}]}, None, []),
        ({"rating": "bad", "reasons": ["boring", "tone"]}, "bad", ["tone"]),
        ({"rating": "bad", "reasons": ["tone", "tone"], "comment": "x" * 5000}, "bad", ["tone"]),
        ({"rating": "good", "reasons": ["tone"], "given_at": 1e300}, "good", []),
        ({"rating": "good", "doubted": [{"use": -1}, {"use": 1e30, "data_point": -5}] * 100}, "good", []),
    ]
    for feedback, rating, reasons in of_files:
        with person(whole_url) as client:
            put_with(client, feedback)
            [line] = mine(client)
        assert (line["rating"], line["reasons"]) == (rating, reasons)
        assert len(line["comment"]) <= LONGEST_COMMENT
        assert len(line["doubted"]) <= MOST_DOUBTED
        assert all(one["use"] >= 1 for one in line["doubted"])


def test_an_imported_answer_says_so_and_is_no_truth(me: httpx2.Client, backend: str):
    put_with(me, {"rating": "good", "given_at": 1.0})
    [line] = mine(me)
    assert (line["rating"], line["imported"], "truth" in line) == ("good", True, False)
    since = {"since": datetime.fromtimestamp(time.time() - 3600, UTC).isoformat()}
    assert len(me.get("/api/feedback/mine", params=since).text.splitlines()) == 1
    table = me.get("/api/feedback/mine", params={"as": "csv"}).content.decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(table, newline=""))
    assert (row["imported"], row["truth"]) == ("yes", "")
    conversation = listed(me)[0]["id"]
    exported = me.get(f"{API}{conversation}/export", params={"as": "json"}).content
    assert b"is_imported" not in exported
    assert me.get(f"{API}{conversation}/export/contents").json()["backends"] == []


def put_with(client: httpx2.Client, feedback: Any) -> None:
    """Import a conversation whose answer has this feedback."""
    made = talk("Imported", time.time(), "Red.")
    made["turns"][0]["answers"][0]["feedback"] = feedback
    put(client, made)


PATHS = ("/api/feedback/mine", "/api/feedback/all")
MINUTE = "2026-11-23T08:30"


@pytest.fixture
def asker(tmp_path: Path, backend: str) -> Iterator[httpx2.Client]:
    """The operator, with an answer rated good at that minute."""
    with running_app(tmp_path, feedback_token=TOKEN) as url, person(url) as client:
        change(client, asked(client, backend), rating="good")
        given = {"moment": datetime.fromisoformat(f"{MINUTE}Z").timestamp()}
        asyncio.run(execute(f"sqlite:///{tmp_path / 'chat.db'}", "UPDATE feedback SET given_at = :moment", **given))
        client.headers |= OPERATOR
        yield client


def test_only_changes_since_a_time_are_sent(asker: httpx2.Client):
    is_sent = {
        "2026-11-23": True,
        "2026-11-24": False,
        "2026-11-23T08:30:00Z": True,
        "2026-11-23T09:30:01%2B01:00": False,
        # The plus of a time zone needs no encoding.
        "2026-11-23T10:30:00+02:00": True,
        "2026-11-23T10:30:01+0200": False,
    }
    for path in PATHS:
        for since, is_in in is_sent.items():
            lines_sent = said_in(asker.get(f"{path}?since={since}"))
            assert [line["question"] for line in lines_sent] == ["What is red?"] * is_in, since
        table = asker.get(path, params={"as": "csv", "since": "2999-01-01"})
        assert table.content.startswith(b'\xef\xbb\xbf"question","truth",')
        assert table.text.count("\n") == 1


def test_an_invalid_request_is_refused_in_words(asker: httpx2.Client):
    queries = ("since=tomorrow", "since=", "since=2026-13-01", "since=1764000000", "as=xml")
    for path, query in product(PATHS, queries):
        refused = asker.get(f"{path}?{query}")
        assert refused.status_code == 400
        assert refused.text.startswith("Choose one of" if query == "as=xml" else "Write the date as 2026-11-23 or ")


def test_an_unreadable_store_is_told_before_any_line(asker: httpx2.Client, tmp_path: Path):
    away = shutil.move(tmp_path / "chat.db", tmp_path / "away.db")
    for path in PATHS:
        refused = asker.get(path)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        assert refused.text == "Conversations cannot be read or changed at the moment. Try again in a moment."
    shutil.move(away, tmp_path / "chat.db")
