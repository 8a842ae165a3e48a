"""A conversation that goes out without the name of its backend does not tell the backend's address."""

from __future__ import annotations

import json

import pytest

from chat_ui.conversations.records.answer_json import answer_to_json
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.events import ErrorInfo
from chat_ui.rendering.exported_page.page_document import AS_BUILT
from chat_ui.routes.exported import Chosen, exported_html

ORIGIN = "http://10.1.2.3:5000"
PLACE = f"{ORIGIN}/content/Plans.pdf"
ANSWER = Answer(
    text=f"It is so [{PLACE}]. See [the plan]({PLACE}) or ask 10.1.2.3:5000. ![]({ORIGIN}/logo.png)",
    data_points=(DataPoint(PLACE, PLACE, f"Kept at {PLACE}.", url=PLACE),),
    thoughts=(Thought("Searched", f"at {PLACE}", {"url": PLACE}),),
    error=ErrorInfo(f"{ORIGIN} broke"),
)


@pytest.mark.parametrize(("backend", "is_told"), [("", False), ("Plans", True)])
def test_the_address_of_a_backend_goes_out_with_its_name_alone(backend: str, is_told: bool):
    kept = {name: value for name, value in answer_to_json(ANSWER).items() if name != "text"}
    pages = [{0: f"<p>From {PLACE}</p>"}]
    chosen = Chosen([backend], pages, thoughts=True, origins=frozenset({ORIGIN}))
    html = exported_html("T", [("Q?", json.dumps(kept), ANSWER.text)], chosen, "", AS_BUILT).decode()
    assert ("10.1.2.3" in html) is is_told
    assert html.count('aria-label="Citation 1') == 1
    assert "not found" not in html
    assert "Kept at" in html
