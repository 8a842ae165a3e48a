"""Resources of a rendered answer: parts, cards, passages, copies and images."""

import json
import re
from dataclasses import replace

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.events import PictureReceived
from chat_ui.rendering import resources
from chat_ui.rendering.answer import RenderedAnswer, render_answer
from chat_ui.rendering.html.image_html import pictures_html
from chat_ui.rendering.html.parts import RenderedBlock
from chat_ui.rendering.packed import body, made_of, packed, packed_as_text
from chat_ui.rendering.panels.json_shapes import MAX_ITEMS
from chat_ui.rendering.panels.sources import DocumentAccess, sources_html

POINTS = (
    DataPoint("tents.pdf#page=4", "tents.pdf", "Wash by hand. A tent keeps rain out for 5.5 years.", image="https://i.example/t.png"),
    DataPoint("prices.csv", "Prices", "90 crowns", image="data:image/png;base64,AAAA"),
)  # fmt: skip
TEXT = (
    "A tent keeps the rain out for 5.5 years [tents.pdf#page=4]. It costs 90 crowns [prices.csv]. Really [ghost.pdf]."
)
ANSWER = Answer(text=TEXT, data_points=POINTS)
RENDERED = render_answer(TEXT, POINTS)
BLOCK = "x" * 15_000


def blocks(part: str) -> list[int]:
    return [int(number) for number in re.findall(r"<p>(\d+)", part)]


def answer_of(*blocks: str) -> RenderedAnswer:
    return RenderedAnswer(tuple(RenderedBlock((html,)) for html in blocks), (), ())


def test_a_document_is_divided_into_parts_of_whole_blocks_from_its_end():
    rendered = answer_of(*(f"<p>{number}{BLOCK}</p>" for number in range(5)))
    parts = resources.document_parts(rendered)
    assert [blocks(part) for part in parts] == [[3, 4], [1, 2], [0]]
    assert "".join(reversed(parts)) == resources.document(ANSWER, rendered)
    assert parts[-1].startswith('<div class="block" dir="auto"><p>0')
    rendered = answer_of("<p>0</p>", f"<p>1{BLOCK * 3}</p>", "<p>2</p>")
    assert [blocks(part) for part in resources.document_parts(rendered)] == [[2], [1], [0]]
    assert len(resources.document_parts(answer_of(BLOCK * 3))) == 1
    half = resources.PART // 2
    exact = answer_of("a" * half, "b" * half)
    assert len(resources.document_parts(exact)) == 1
    assert len(resources.document_parts(answer_of("a" * half, "b" * half + "b"))) == 2


def test_a_packed_answer_has_its_parts_and_its_rendering():
    kept = packed(ANSWER)
    assert made_of(kept.rendered, resources.document, ANSWER) == resources.document(ANSWER, RENDERED)
    assert kept.part(0).content.decode() == resources.document(ANSWER, RENDERED)
    assert kept.part(0).etag == body(resources.document, ANSWER, RENDERED).etag != packed_as_text("x").part(0).etag
    assert kept.size == len(kept.rendered) + len(kept.parts[0])


def test_a_passage_is_marked_only_for_its_use():
    assert "<mark>A tent keeps rain out" in resources.passage(ANSWER, RENDERED, 0, 0)
    for use in (None, 2, 99):
        assert "<mark>" not in resources.passage(ANSWER, RENDERED, 0, use)


def test_each_citation_has_a_card_with_source_and_passage_and_no_buttons():
    found = json.loads(resources.cards_json(ANSWER, RENDERED))
    assert found["uses"] == [0, 1, 2]
    tents, prices, ghost = found["cards"]
    assert '<p class="card-title" dir="auto">Tents <span class="card-page">PDF · page 4</span></p>' in tents
    assert "<mark>A tent keeps rain out for 5.5 years.</mark>" in tents
    assert '<span class="remote-image">' in tents
    assert '<p class="card-title" dir="auto">Prices <span class="card-page">Table</span></p>' in prices
    assert '<img src="data:image/png;base64,AAAA"' in prices
    assert ghost == ('<p class="card-title" dir="auto">ghost.pdf</p><p>Not found among the retrieved sources.</p>')
    passage = "<p><img src='https://i.example/map.png' alt='A map'></p><table><tr><td>Dry</td></tr></table>"
    points = (DataPoint("tents.pdf", "tents.pdf", passage),)
    answer = Answer(text="Dry [tents.pdf].", data_points=points)
    (card,) = json.loads(resources.cards_json(answer, render_answer(answer.text, points)))["cards"]
    assert "<button" not in card
    assert '<a href="https://i.example/map.png"' in card


def test_citations_of_a_page_and_a_sentence_share_a_card():
    text = "Red [tents.pdf#page=4] [tents.pdf#page=4]. Green [tents.pdf#page=4]."
    found = json.loads(resources.cards_json(Answer(text=text, data_points=POINTS), render_answer(text, POINTS)))
    assert len(found["cards"]) == 2
    assert found["uses"] == [0, 0, 1]
    text, points = "Dry [a.pdf#page=3]. Dry [a.pdf#page=7]. Dry [a.pdf].", (DataPoint("a.pdf", "a.pdf", "Dry."),)
    found = json.loads(resources.cards_json(Answer(text=text, data_points=points), render_answer(text, points)))
    assert [re.findall("page [0-9]", card) for card in found["cards"]] == [["page 3"], ["page 7"], []]


def test_an_image_is_available_if_the_text_a_source_or_html_offers_it():
    text = "![A map](https://i.example/map.png)"
    rendered = render_answer(text, POINTS)
    for url in ("https://i.example/map.png", "https://i.example/t.png"):
        assert resources.has_image(ANSWER, rendered, url)
    for url in ("https://i.example/other.png", "", "data:image/png;base64,AAAA"):
        assert not resources.has_image(ANSWER, rendered, url)
    assert not resources.has_image(ANSWER, RENDERED, "https://i.example/map.png")
    cases = [
        "[![A map](https://i.example/map.png)](https://a.example)", "`![A map](https://i.example/map.png)`",
        "![A map](https://reader@i.example/map.png) https://i.example/map.png",
        '<span class="remote-image"><a href="https://i.example/map.png">A map</a></span>',
        '<img alt=\'<span class="remote-image"><a href="https://i.example/map.png">\'>',
    ]  # fmt: skip
    for text in cases:
        point = DataPoint("map.html", "map.html", text if text.startswith("<") else f"<p>{text}</p>")
        answer = Answer(text=text, data_points=(point,))
        assert not resources.has_image(answer, render_answer(text, (point,)), "https://i.example/map.png")
    point = DataPoint("map.html", "map.html", '<p>Here <img src=" https://i.example/map.png?a&amp;b ">.</p>')
    rendered = render_answer("", (point,))
    assert resources.has_image(Answer(data_points=(point,)), rendered, "https://i.example/map.png?a&b")
    assert not resources.has_image(Answer(data_points=(point,)), rendered, "https://i.example/map.png?a&amp;b")


def test_a_list_has_the_first_citations_and_their_count():
    text = "".join(f"[ghost{number}.pdf] " for number in range(MAX_ITEMS + 1))
    first = resources.first_citations(ANSWER, render_answer(text, ()))
    assert (len(first.citations), first.count) == (MAX_ITEMS, MAX_ITEMS + 1)


def test_an_answer_is_copied_with_and_without_citations_and_with_its_date():
    copied = resources.markdown_copy(ANSWER, RENDERED, text=TEXT, with_citations=True, notice="")
    assert "Really [3]." in copied
    assert "tents.pdf" in copied.split("Really")[1]
    assert "[" not in resources.markdown_copy(ANSWER, RENDERED, text=TEXT, with_citations=False, notice="")
    assert "5.5 years" in resources.rich_copy(ANSWER, RENDERED, notice="")
    assert "tents.pdf" in resources.rich_copy(ANSWER, RENDERED, notice="")
    recorded = replace(ANSWER, recorded_at="2024-11-20T09:30:00+00:00")
    for with_citations in (True, False):
        text = resources.markdown_copy(recorded, RENDERED, text=TEXT, with_citations=with_citations, notice="")
        assert text.endswith("\n\n*Recorded on 20 November 2024*\n"), with_citations
    assert resources.rich_copy(recorded, RENDERED, notice="").endswith("<p><em>Recorded on 20 November 2024</em></p>")
    assert "Recorded" not in resources.rich_copy(ANSWER, RENDERED, notice="")


def test_a_source_that_names_a_document_has_a_button_if_documents_exist():
    cases = [
        ("tents.pdf", "#page=4", "pdf", "4", "PDF · page 4", "Open page 4", "Open tents.pdf at page 4"),
        ("tents.pdf", "", "pdf", "", "PDF", "Open document", "Open tents.pdf"),
        ("tents.docx", "#page=4", "file", "4", "Word · page 4", "Download", "Download tents.docx"),
    ]
    for file, place, kind, page, line, words, label in cases:
        name = file + place
        points = (DataPoint("notes", "notes"), DataPoint(name, name), DataPoint(name, name))
        answer = Answer(data_points=points)
        html = sources_html(answer, render_answer("", points), access=DocumentAccess.OPEN)
        facts = f'data-kind="{kind}" data-page="{page}" data-name="{file}" data-title="Tents" data-line="{line}"'
        facts += f' data-place="{place[1:]}"'
        button = f'class="open-document tool" data-document="1" {facts} aria-label="{label}" title="{words}">'
        assert html.count(button) == html.count("open-document") == 2, name
        assert "open-document" not in sources_html(answer, render_answer("", points)), name
        away = sources_html(answer, render_answer("", points), access=DocumentAccess.NOT_ON_OFFER)
        assert away.count("not on offer here") == 2, name
        assert "open-document" not in away, name


def test_the_active_data_point_is_marked_without_a_claim():
    html = sources_html(ANSWER, RENDERED, point=1)
    assert re.findall('data-source="([^"]+)" data-active', html) == ["1"]
    assert "<mark>" not in html


def test_cards_are_limited_in_letters_images_and_number_of_claims():
    for length, is_shown in ((300_000, True), (300_001, False)):
        beginning = "data:image/png;base64,"
        points = (DataPoint("a.png", "a.png", image=beginning + "A" * (length - len(beginning))),)
        found = json.loads(resources.cards_json(Answer(data_points=points), render_answer("So it is [a.png].", points)))
        assert ("card-image" in found["cards"][0]) is is_shown, length
    text = " ".join(f"Lamp {number} is red [tents.pdf#page=4]." for number in range(503))
    found = json.loads(resources.cards_json(ANSWER, render_answer(text, POINTS)))
    assert found["uses"] == [*range(501), 500, 500]
    assert "Wash by hand" in found["cards"][500]
    points = (DataPoint("Ürlaub.md", "Ürlaub.md"),)
    assert "Ürlaub" in resources.cards_json(Answer(data_points=points), render_answer("Ja [Ürlaub.md].", points))


def test_a_remote_picture_is_offered_on_a_page_and_a_link_in_a_file() -> None:
    url = "https://example.com/buoy"
    pictures = (PictureReceived("1", "A buoy", url=url), PictureReceived("2", url="javascript:x()"))
    rendered = render_answer("", ())
    answer = Answer(pictures=pictures)
    assert [resources.has_image(answer, rendered, one) for one in (url, "javascript:x()")] == [True, False]
    assert resources.rich_copy(answer, rendered, notice="").startswith(f"<p>![A buoy]({url})")
    [foreign] = [replace(pictures[0], key="c.1", media_type='"><script>')]
    assert "<script" not in pictures_html([foreign], {"c.1": "/1"}, with_buttons=True)
    shown, filed = pictures_html(pictures, {}, with_buttons=True), pictures_html(pictures, {})
    assert [html.count("Show image from example.com") for html in (shown, filed)] == [1, 0]
    assert all(f'href="{url}"' in html and "javascript" not in html and "<img" not in html for html in (shown, filed))
