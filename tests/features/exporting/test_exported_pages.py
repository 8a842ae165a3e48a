"""A conversation exported as a page: its list of contents, its parts, and hidden addresses."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from chat_ui.conversations.records.answer_json import answer_to_json
from chat_ui.features.exporting.exported import Chosen, cited_documents, exported_html, exported_markdown
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.answers.place import Place
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.documents.document_urls import Document
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.rendering.exported_page.hidden_addresses import HiddenAddresses
from chat_ui.rendering.exported_page.page_document import AS_BUILT
from tests.features.demo.serving import serving
from tests.features.office.packages import docx, paragraph
from tests.page.routes.running_app import API, person, running_app
from tests.rendering.harmless import judged
from tests.stand_ins.shelf import Shelf, pdf

LIT, OUT = "All lamps are lit at dusk.", "All lamps go out at dawn."
BEFORE, AFTER = [f"Before {number}. " + "b" * 900 for number in range(9)], ["a" * 3_995, "The end."]
LAMPS = ["The beginning.", *BEFORE, f"<b>{LIT} {OUT}", *AFTER]
KEY = "sk-proj-q7Zt2LmX9vKc4RbN8sWd1YhF6pGj3TaE"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    shelf = Shelf()
    shelf.documents = {
        "Buoys.pdf": pdf("The first page.", "Buoys on the second page."),
        "Ropes.md": "Ropes are **long**, as the whole document says. Tåg är långa.".encode("cp1252"),
        "Never.md": b"Nobody cites this.",
        "Torn.pdf": b"%PDF-1.7\n1 0 obj <<",
        "Paint.txt": f"Red. {KEY}".encode(),
        "Lamps.docx": docx("".join(paragraph(text) for text in LAMPS)),
        "Old.docx": b"PK torn",
    }
    shelf.sources = [
        "Buoys.pdf#page=2: Buoys float.",
        "Ropes.md: Ropes are long.",
        "Never.md: Nothing.",
        "Gone.md: Not there.",
        "Paint.txt: Red.",
        "Torn.pdf: Old.",
        f"Lamps.docx#page=7: {LIT} {OUT}",
        "Lamps.docx#page=9: Nobody counts the lamps of the eastern harbour.",
        "Old.docx: Old.",
    ]
    shelf.thoughts = [{"title": "Searched the shelf", "description": "for buoys"}]
    shelf.text = "Buoys float [Buoys.pdf#page=2], ropes are long [Ropes.md][Gone.md]. Red [Paint.txt]. Old [Torn.pdf]."
    shelf.text += (
        " The lamps go out at dawn [Lamps.docx#page=7]. They are uncounted [Lamps.docx#page=9]. Lost [Old.docx]."
    )
    return shelf


@pytest.fixture(scope="module")
def backend(shelf: Shelf) -> Iterator[str]:
    with serving(shelf.app) as url:
        yield url


@pytest.fixture(scope="module")
def me(backend: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A person with a conversation with an offered backend."""
    with (
        running_app(tmp_path_factory.mktemp("on offer"), backend_url=f"{backend}/1/chat/stream") as address,
        person(address) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def export(me: httpx2.Client, backend: str) -> str:
    return exported(me, f"{backend}/1/chat/stream")


def exported(client: httpx2.Client, backend: str) -> str:
    """The export address of a new conversation."""
    answer = client.post("/ask", params={"backend": backend}, content="What floats?").text
    return f"{API}{answer.partition('.')[0]}/export"


def page_of(client: httpx2.Client, export: str, **chosen: str) -> str:
    answer = client.get(export, params={"as": "html", **chosen})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["content-disposition"].startswith("attachment")
    return answer.text


def test_thoughts_and_documents_are_exported_on_request(me: httpx2.Client, export: str, backend: str):
    without = page_of(me, export, backend="no")
    bare, whole_page = page_of(me, export), page_of(me, export, thoughts="yes", documents="yes")
    for words in ("Searched the shelf", "Buoys on the second page.", "Ropes are <strong>long</strong>", KEY):
        assert (words in bare, words in whole_page) == (False, True), words
    assert re.search(r"<p>Exported on [^<]+ · 1 question<", bare)
    for words in ("Answered by", backend.removeprefix("http://")):
        assert (words in bare, words in without) == (True, False), words
    assert "Tåg är långa." in whole_page
    for words in ("The first page.", "Nobody cites this."):
        assert words not in whole_page


def test_a_document_of_a_reader_is_exported_as_the_marked_part_around_its_passage(me: httpx2.Client, export: str):
    page = page_of(me, export, documents="yes")
    cited = (part.partition("</details>")[0] for part in page.split('<div class="document-text">')[-2:])
    found, lost = (part.removesuffix("</div>") for part in cited)
    assert f'&lt;b&gt;{LIT} <mark class="passage-part">{OUT}</mark>' in found
    for words in ("The beginning.", "Before 4.", "The end.", "PK"):
        assert words not in found, words
    assert (found.count('<p class="cut">…</p>'), "Before 5." in found, "aaa" in found) == (2, True, True)
    assert lost.startswith('<p class="cut">The passage was not found for certain')
    assert ("The beginning." in lost, "<mark" in lost) == (True, False)
    for html in (found, lost):
        assert judged(html).faults == []


def test_hidden_thoughts_are_in_no_export(backend: str, tmp_path: Path):
    offered = f"{backend}/3/chat/stream"
    with running_app(tmp_path, backend_url=offered, show_thoughts=False) as address, person(address) as client:
        export = exported(client, offered)
        assert "Searched the shelf" not in page_of(client, export, thoughts="yes")
        for archive in (f"{export}?as=json", f"{API}export"):
            assert "Buoys float" in client.get(archive).text
            assert "Searched the shelf" not in client.get(archive).text
        assert client.get(f"{export}/contents", params={"thoughts": "yes"}).json()["thoughts"]["count"] == 0


def test_the_contents_are_listed_with_possible_secrets_also_in_documents(me: httpx2.Client, export: str):
    contents = me.get(f"{export}/contents").json()
    assert contents["questions"] == {"count": 1, "bytes": 12}
    assert (contents["sources"]["count"], contents["thoughts"]["count"], contents["pages"]["count"]) == (9, 1, 0)
    assert (contents["found"], len(contents["backends"])) == (0, 1)
    assert (contents["cited"], contents["recorded"]) == (8, 0)
    with_documents = me.get(f"{export}/contents", params={"documents": "yes"})
    assert (with_documents.json()["pages"]["count"], with_documents.json()["missing"]) == (5, 3)
    assert [(one["kind"], one["where"]) for one in with_documents.json()["suspects"]] == [
        ("API key", "Document “Paint” of answer 1")
    ]
    assert KEY[10:] not in with_documents.text


def test_others_conversations_and_documents_of_other_backends_stay_private(
    me: httpx2.Client, export: str, shelf: Shelf, backend: str, tmp_path: Path
):
    with person(str(me.base_url)) as other:
        assert other.get(f"{export}/contents").status_code == 404
        assert other.get(export, params={"as": "html"}).status_code == 404
    with running_app(tmp_path) as address, person(address) as stranger:
        theirs = exported(stranger, f"{backend}/2/chat/stream")
        shelf.requests.clear()
        assert "Buoys float" in page_of(stranger, theirs, documents="yes")
        assert shelf.requests == []


ANSWER = Answer(text="Buoys are red [Buoys.pdf].", data_points=(DataPoint("Buoys.pdf", "Buoys.pdf", "All are red."),))
TURNS = [("Colour <b>?", json.dumps(answer_to_json(ANSWER)), ANSWER.text), ("And green?", None, "")]
ALL = Chosen(["", ""], [{}, {}])
PLANS, IPV4, IPV6 = "https://plans.contoso.example", "http://10.1.2.3:5000", "http://[fd00::1]:8000"


def page_of_turn(answer: Answer, chosen: Chosen) -> str:
    """The page of a conversation with one question and this answer."""
    kept = {name: value for name, value in answer_to_json(answer).items() if name != "text"}
    return exported_html("Buoys", [("Colour?", json.dumps(kept), answer.text)], chosen, "", AS_BUILT).decode()


def test_each_question_is_exported_with_its_answer_and_sources():
    html = exported_html("Bjørn", TURNS, ALL, "", AS_BUILT).decode()
    assert "<title>Bjørn</title>" in html
    assert html.index("Colour &lt;b&gt;?") < html.index("Buoys are red") < html.index("All are red.")
    assert html.index("Buoys are red") < html.index("And green?")
    markdown = exported_markdown("Bjørn", TURNS, with_thoughts=True).decode()
    assert markdown.index("Colour <b>?") < markdown.index("Buoys are red") < markdown.index("And green?")
    assert "Buoys.pdf" in markdown
    assert b"Half ? of" in exported_html("Half \ud83d of", [], Chosen([], []), "", AS_BUILT)


def test_a_citation_keeps_its_place_when_an_address_before_it_is_removed():
    text = "Ask https://chat.example/x about it. All buoys are red. More."
    place = text.index("red.") + 4
    answer = Answer(text=text, data_points=ANSWER.data_points, citations=(PlacedCitation("Buoys.pdf", place, place),))
    html = page_of_turn(answer, Chosen([""], [{}], origins={"https://chat.example"}))
    assert "chat.example" not in html
    assert html.index("are red.") < html.index('class="citation"', html.index("are red.")) < html.index("More.")


def test_a_document_is_exported_with_its_first_cited_page():
    points = (*ANSWER.data_points, DataPoint("Ropes.pdf#page=2", "Ropes.pdf"))
    answer = Answer(text="Red [Buoys.pdf#page=3], green [Buoys.pdf#page=1], long [Ropes.pdf].", data_points=points)
    turn = ("Colour?", json.dumps(answer_to_json(answer)), answer.text)
    buoys, ropes = Document("Buoys.pdf", "pdf", Place(3)), Document("Ropes.pdf", "pdf", Place(2))
    (cited,) = cited_documents([turn])
    assert {point: document for point, (document, _) in cited.items()} == {0: buoys, 1: ropes}
    html = page_of_turn(answer, Chosen([""], [{}]))
    assert ("PDF · page 3" in html, "Buoys, p. 3, p. 1" in html) == (False, True)


@pytest.mark.parametrize("asked", [IPV4, PLANS, "http://plans:8000", IPV6])
def test_the_address_of_a_backend_is_exported_only_with_its_name(asked: str):
    host, place = asked.partition("://")[2], f"{asked}/content/Plans.pdf"
    answer = Answer(
        text=f"It is so [{place}]. See [the plan]({place}) or ask {host}. ![]({asked}/logo.png)",
        data_points=(DataPoint(place, place, f"Kept at {place}.", url=place),),
        thoughts=(Thought("Searched", f"at {place}", {"url": place}),),
        error=ErrorInfo(f"{asked} broke"),
    )
    for backend in ("", "Plans"):
        pages, origins = [{0: f"<p>From {place}</p>"}], frozenset({origin_of(f"{asked}/chat")})
        html = page_of_turn(answer, Chosen([backend], pages, thoughts=True, origins=origins))
        assert (host in html) is bool(backend)
        assert "/content/Plans.pdf" in html
        assert html.count('aria-label="Citation 1') == 2
        assert "not found" not in html
        assert "Kept at" in html


def test_each_notation_of_an_address_is_hidden_and_no_other_word():
    ways = [
        (PLANS, "At HTTPS://Plans.Contoso.example/a", "At …/a"),
        (PLANS, "At plans.contoso.example:443, //plans.contoso.example/a", "At …, //…/a"),
        (PLANS, "At ?u=https%3A%2F%2Fplans.contoso.example%3A443%2Fa", "At ?u=…%2Fa"),
        (PLANS, "https://me:word@plans.contoso.example/a", "https://me:word@…/a"),
        (PLANS, "Ask my-plans.contoso.example", "Ask my-plans.contoso.example"),
        (PLANS, "?u=https%253A%252F%252Fplans.contoso.example%252Fa", "?u=…%252Fa"),
        (PLANS, "?u=%70lans.contoso.example%2Fa", "?u=…%2Fa"),
        (PLANS, "At &#112;lans&period;contoso&#x2e;example.", "At …."),
        (PLANS, "At pl\u200bans.con\u00adtoso.example", "At …"),
        (PLANS, "At ｐｌａｎｓ．contoso。example/a", "At …/a"),
        ("https://bücher.example", "bücher.example, BU\u0308CHER.example or xn--bcher-kva.example", "…, … or …"),
        ("https://xn--bcher-kva.example", "At https://Bücher.example/a, %62%C3%BCcher.example", "At …/a, …"),
        (IPV4, "At 0x0a.1.2.3, 10.66051 and 012.1.2.3:5000", "At …, … and …"),
        (IPV4, "http://167838211/a, 0xa010203:5000 and 167838211", "…/a, … and 167838211"),
        (IPV4, "http://[::ffff:10.1.2.3]:5000/a and ::ffff:a01:203", "…/a and …"),
        (IPV4, "It is 10.1.2.3, not 10.1.2.30", "It is …, not 10.1.2.30"),
        ("http://0x0a010203:5000", "At 10.1.2.3", "At …"),
        (IPV6, "At [FD00:0:0:0:0:0:0:1]:8000, fd00::0001 and [fd00::1%25eth0]", "At …, … and …"),
        (IPV6, "At 10:30, a::b and fd00::10", "At 10:30, a::b and fd00::10"),
        ("http://plans", "The plans are at http://plans/a and plans:80", "The plans are at …/a and …"),
        ("http://plans:8000", "The plans at http://plans:3000", "The plans at http://plans:3000"),
    ]
    found = [(asked, text, HiddenAddresses({origin_of(asked)}).out_of(text)) for asked, text, _ in ways]
    assert found == ways
    assert HiddenAddresses(()).out_of("Ask 10.1.2.3") == "Ask 10.1.2.3"
