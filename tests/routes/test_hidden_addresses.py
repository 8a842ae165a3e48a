"""A conversation that goes out without the name of its backend does not tell the backend's address."""

from __future__ import annotations

import json

from chat_ui.conversations.records.answer_json import answer_to_json
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.rendering.exported_page.hidden_addresses import HiddenAddresses
from chat_ui.rendering.exported_page.page_document import AS_BUILT
from chat_ui.routes.exported import Chosen, exported_html

ASKED = ("http://10.1.2.3:5000", "https://plans.contoso.example", "http://plans:8000", "http://[fd00::1]:8000")


def test_the_address_of_a_backend_goes_out_with_its_name_alone():
    for asked in ASKED:
        host, place = asked.partition("://")[2], f"{asked}/content/Plans.pdf"
        answer = Answer(
            text=f"It is so [{place}]. See [the plan]({place}) or ask {host}. ![]({asked}/logo.png)",
            data_points=(DataPoint(place, place, f"Kept at {place}.", url=place),),
            thoughts=(Thought("Searched", f"at {place}", {"url": place}),),
            error=ErrorInfo(f"{asked} broke"),
        )
        kept = {name: value for name, value in answer_to_json(answer).items() if name != "text"}
        for backend in ("", "Plans"):
            pages = [{0: f"<p>From {place}</p>"}]
            chosen = Chosen([backend], pages, thoughts=True, origins=frozenset({origin_of(f"{asked}/chat")}))
            html = exported_html("T", [("Q?", json.dumps(kept), answer.text)], chosen, "", AS_BUILT).decode()
            assert (host in html) is bool(backend)
            assert "/content/Plans.pdf" in html
            assert html.count('aria-label="Citation 1') == 2
            assert "not found" not in html
            assert "Kept at" in html


PLANS, IPV4, IPV6 = "https://plans.contoso.example", "http://10.1.2.3:5000", "http://[fd00::1]:8000"


def test_each_way_to_write_an_address_is_hidden_and_no_other_word():
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
