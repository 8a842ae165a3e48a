"""A conversation as the file that is exported."""

from __future__ import annotations

import json

from chat_ui.conversations.records.answer_json import answer_to_json
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.protocol.documents.document_urls import Document
from chat_ui.rendering.exported_page.page_document import AS_BUILT
from chat_ui.routes.exported import Chosen, cited_documents, exported_html, exported_markdown

ANSWER = Answer(text="Buoys are red [Buoys.pdf].", data_points=(DataPoint("Buoys.pdf", "Buoys.pdf", "All are red."),))
TURNS = [("Colour <b>?", json.dumps(answer_to_json(ANSWER)), ANSWER.text), ("And green?", None, "")]
ALL = Chosen(["", ""], [{}, {}])


def test_each_question_is_exported_with_its_answer_and_its_sources():
    html = exported_html("Bjørn", TURNS, ALL, "", AS_BUILT).decode()
    assert "<title>Bjørn</title>" in html
    assert html.index("Colour &lt;b&gt;?") < html.index("Buoys are red") < html.index("All are red.")
    assert html.index("Buoys are red") < html.index("And green?")
    markdown = exported_markdown("Bjørn", TURNS, with_thoughts=True).decode()
    assert markdown.index("Colour <b>?") < markdown.index("Buoys are red") < markdown.index("And green?")
    assert "Buoys.pdf" in markdown


def test_a_citation_stays_where_it_stands_when_an_address_before_it_is_taken_out():
    text = "Ask https://chat.example/x about it. All buoys are red. More."
    place = text.index("red.") + 4
    answer = Answer(text=text, data_points=ANSWER.data_points, citations=(PlacedCitation("Buoys.pdf", place, place),))
    turn = ("Colour?", json.dumps(answer_to_json(answer)), answer.text)
    html = exported_html("Buoys", [turn], Chosen([""], [{}], origins={"https://chat.example"}), "", AS_BUILT).decode()
    assert "chat.example" not in html
    assert html.index("are red.") < html.index('class="citation"', html.index("are red.")) < html.index("More.")


def test_a_half_of_a_character_keeps_nothing_from_being_exported():
    assert b"Half ? of" in exported_html("Half \ud83d of", [], Chosen([], []), "", AS_BUILT)


def test_a_document_goes_out_with_the_page_that_is_cited_first():
    points = (*ANSWER.data_points, DataPoint("Ropes.pdf#page=2", "Ropes.pdf"))
    answer = Answer(text="Red [Buoys.pdf#page=3], green [Buoys.pdf#page=1], long [Ropes.pdf].", data_points=points)
    turn = ("Colour?", json.dumps(answer_to_json(answer)), answer.text)
    assert cited_documents([turn]) == [{0: Document("Buoys.pdf", "pdf", 3), 1: Document("Ropes.pdf", "pdf", 2)}]
    html = exported_html("Buoys", [turn], Chosen([""], [{}]), "", AS_BUILT).decode()
    assert ("PDF · page 3" in html, "Buoys.pdf#page=3, Buoys.pdf#page=1" in html) == (False, True)
