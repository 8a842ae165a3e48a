import re

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.data_points import read_data_points
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.panels.passages import passage_html
from chat_ui.rendering.panels.sources import DocumentAccess, sources_html
from chat_ui.rendering.panels.strip import MOST_CARDS, strip_html
from tests.rendering.harmless import judged

POINTS = (
    DataPoint("unused.txt", "unused.txt", "Nothing of use."),
    DataPoint("tents.md", "tents.md", "Wash by hand.\nA tent keeps rain out for 5.5 years. Poles bend."),
    DataPoint("prices.csv", "prices.csv", "<table><tr><td>Tent</td><td>90 crowns</td></tr></table>"),
    DataPoint("web", "Shop", "Open daily.", url="https://shop.example/tents"),
)
TEXT = "A tent keeps the rain out for 5.5 years [tents.md]. It costs 90 crowns [prices.csv]. Really [ghost.pdf]."


def listed(use=None, points=POINTS, text=TEXT):
    answer = Answer(text=text, data_points=points)
    return sources_html(answer, render_answer(text, points), use)


def test_cited_sources_come_first_in_counted_groups_without_a_mark():
    html = listed()
    order = [html.index(word) for word in ('data-source="1"', 'data-source="2"', 'data-source="0"', "ghost.pdf")]
    assert order == sorted(order)
    assert judged(html).faults == []
    assert "<mark>" not in listed()
    assert [use for use in (None, -1, 3) if "data-active" in listed(use)] == []
    html = listed()
    groups = [("Cited", "2"), ("Also retrieved", "2"), ("Cited, but not found", "1")]
    assert re.findall(r"<h3>(.*?) <span class=\"sources-count\">(\d)</span>", html) == groups
    assert re.findall(r'class="source-number">(.)', html) == ["1", "2", "?"]
    assert "without sources" in listed(points=(), text="Hello.")


def test_an_activated_citation_marks_its_item_claim_and_sentence():
    html = listed(0)
    assert '<li data-source="1" data-active aria-current="true"' in html
    assert re.findall("<mark>.*?</mark>", html) == ["<mark>A tent keeps rain out for 5.5 years.</mark>"]
    assert html.count("data-active") == 1
    assert '<li class="source-missing" data-active' in listed(2)
    assert 'data-claim="A tent keeps the rain out for 5.5 years"' in html
    assert 'data-claim="Really <b>&quot;"'.replace("<b>", "&lt;b&gt;") in listed(0, text='Really `<b>"` [ghost.pdf]')
    assert "data-claim" not in listed()


def test_a_web_source_links_to_its_page_without_a_referrer():
    assert (
        '<a class="source-link" href="https://shop.example/tents" target="_blank" rel="noopener noreferrer">'
        in listed()
    )
    assert 'href="https://c.example/c.pdf#page=3"' in listed(points=PAGED, text="So [https://c.example/c.pdf#page=3].")


def test_an_image_is_shown_only_from_a_data_url():
    shown = item(DataPoint("i.png", "i.png", image="data:image/png;base64,AAAA"))
    view = '<button type="button" class="view-image" data-view aria-label="View i.png full size">'
    assert f'{view}<img src="data:image/png;base64,AAAA"' in shown
    for url in ("https://img.example/a.png", "data:image/svg+xml;base64,AAAA", "data:text/html,x"):
        shown = item(DataPoint("i", "i", image=url))
        assert ("<img" in shown, "view-image" in shown, "img.example" in shown) == (False, False, "https" in url)


def test_a_passage_of_an_object_keeps_its_lines_beside_a_tag():
    item = {"id": 3, "name": "Jacket", "description": "A warm <b>jacket</b>", "price": 30}
    [point] = read_data_points({"data_points": {"3": item}})
    assert "name: Jacket<br>description: A warm <b>jacket</b><br>price: 30" in passage_html(point.text)


def item(point: DataPoint, text: str = "x") -> str:
    html = listed(points=(point,), text=text)
    found = re.search("<li[^>]*>(.*)</li>", html, re.DOTALL)
    assert found is not None
    return found.group(1)


def test_a_source_has_a_title_above_its_kind_and_place():
    cases = [
        (DataPoint("a.md", "The guide"), "a.md", "The guide", "Markdown"),
        (DataPoint("a_b.pdf#page=2", "a_b.pdf"), "a_b.pdf#page=2", "A b", "PDF · page 2"),
        (DataPoint("4f", ""), "4f", "4f", ""),
        (DataPoint(" ", " "), "Unnamed source", "Unnamed source", ""),
        (DataPoint("a.md", "a.md", url="mailto:a@b.example"), "a.md", "A", "Markdown"),
        (DataPoint("<b>.pdf", "<b>.pdf"), "&lt;b&gt;.pdf", "&lt;b&gt;", "PDF"),
        (
            DataPoint("a.md", "a.md", url="https://a.example/b"),
            "a.md",
            "A",
            'Web · <a class="source-link" href="https://a.example/b" target="_blank" rel="noopener noreferrer">'
            "a.example</a>",
        ),
    ]
    for point, tooltip, title, line in cases:
        below = f'<span class="source-line" dir="auto">{line}</span>' if line else ""
        assert item(point).endswith(
            f'<div class="source-names"><span class="source-title" dir="auto" title="{tooltip}">{title}</span>{below}'
            "</div></div>"
        )


PAGED = (
    DataPoint("a.pdf", "a.pdf"),
    DataPoint("b.pdf#page=2-4", "b.pdf"),
    DataPoint("https://c.example/c.pdf", "C", url="https://c.example/c.pdf"),
)


def test_a_document_opens_at_the_cited_page():
    cases = [
        ("So [a.pdf#page=3].", 0, "3", "PDF · page 3"), ("So [a.pdf, S. 3].", None, "3", "PDF · page 3"),
        ("So [a.pdf#page=3-5].", 0, "3", "PDF · page 3"), ("So [a.pdf].", 0, "", "PDF"),
        ("So [a.pdf#page=3]. But [a.pdf#page=7].", 1, "7", "PDF · page 7"),
        ("So [a.pdf#page=3]. But [a.pdf#page=7].", None, "3", "PDF · page 3"),
        ("So [a.pdf#page=3]. But [a.pdf].", 1, "", "PDF"), ("So [a.pdf, p. 3, p. 7].", 1, "7", "PDF · page 7"),
        ("So 【4:0†a.pdf#page=3】.", 0, "3", "PDF · page 3"), ("So [b.pdf#page=4].", 0, "4", "PDF · pages 2–4"),
        ("So [b.pdf#page=1-9].", 0, "2", "PDF · pages 2–4"),
    ]  # fmt: skip
    for text, use, page, line in cases:
        answer = Answer(text=text, data_points=PAGED)
        html = sources_html(answer, render_answer(text, PAGED), use, access=DocumentAccess.OPEN)
        [cited, *_] = re.findall("<li data-source.*?</li>", html, re.DOTALL)
        assert f'data-page="{page}"' in cited, text
        assert f'data-line="{line}"' in cited, text
        assert f'<span class="source-line" dir="auto">{line}</span>' in cited, text
    cases = [("So [a.pdf#page=3]. But [a.pdf].", "PDF · page 3"), ("So [a.pdf#page=3]. But [a.pdf#page=7].", "PDF")]
    for text, line in cases:
        html = sources_html(Answer(text=text, data_points=PAGED), render_answer(text, PAGED), within="a1")
        assert f'<span class="source-line" dir="auto">{line}</span>' in html, text


def test_framework_documents_are_cited_and_opened_by_page():
    pages = ((2, "b"), (8, "c"))
    items = [{"page_content": words, "metadata": {"source": "d/a.pdf", "page": page}} for page, words in pages]
    points = read_data_points({"data_points": items})
    for page, source in (("", 0), (", p. 3", 0), ("#page=2", 0), ("#page=9", 1), (", S. 8", 1)):
        [cited] = render_answer(f"So [a.pdf{page}].", points).citations
        assert (cited.data_point, cited.label) == (source, "d/a.pdf")
    [missing] = render_answer("So [d/a.pdf#page=5].", points).citations
    assert missing.data_point is None
    html = sources_html(Answer(data_points=points), render_answer("", points), access=DocumentAccess.OPEN)
    assert re.findall('data-page="(.*?)"', html) == ["3", "9"]
    assert re.findall('data-line="(.*?)"', html) == ["PDF · page 3", "PDF · page 9, passage 2"]


def test_each_claim_of_a_source_in_a_file_is_marked_with_its_uses():
    point = DataPoint("a.md", "a.md", "Tents are warm in winter. Nothing here.\nRopes are long & strong.")
    text = "Tents are warm in winter [a.md]. Ropes are long and strong [a.md]. In winter, tents are warm [a.md]."
    html = sources_html(Answer(text=text, data_points=(point,)), render_answer(text, (point,)), within="a1")
    assert re.findall(r'<mark data-uses="(.*?)">(.*?)</mark>', html) == [
        ("0 2", "Tents are warm in winter."),
        ("1", "Ropes are long &amp; strong."),
    ]


def test_a_long_passage_can_be_unfolded_and_is_longer_in_the_view():
    text = "Words go on. " * 100
    button = (
        '<button type="button" class="unfold" data-unfold="0" title="All 1,300 characters">Show more</button></div>'
    )
    assert button in item(DataPoint("a.md", "a.md", text))
    assert "unfold" not in item(DataPoint("a.md", "a.md", "Words go on."))
    text = "Wash it by hand. A tent keeps rain out for 5.5 years. " + "Poles bend in the wind. " * 14
    html = listed(points=(DataPoint("tents.md", "tents.md", text),), text="Dry [tents.md].")
    assert "unfold" in html
    on_view = listed(0, points=(DataPoint("tents.md", "tents.md", text),), text="Dry [tents.md].")
    assert "unfold" not in on_view


def test_a_source_has_a_way_back_to_each_of_its_first_citations():
    text = "[tents.md] and [prices.csv]. " + "[tents.md] " * 30
    html = sources_html(Answer(text=text, data_points=POINTS), render_answer(text, POINTS), within="a1")
    tents, prices = re.findall('class="back-links">(.*?)</span>', html)
    assert prices == '<a href="#a1-use-1" aria-label="Back to citation 2 in the text">↩</a>'
    links = re.findall('<a href="#a1-use-(.*?)" aria-label="Back to citation 1 in the text, (.*?)">(.*?)</a>', tents)
    assert links[:2] == [("0", "place 1 of 31", "↩1"), ("2", "place 2 of 31", "↩2")]
    assert len(links) == 30
    assert re.search(r'<li data-source="\d" id="a1-source-1" tabindex="-1">', html)


IMAGE = "data:image/png;base64,"


def strip(text: str, *points: DataPoint) -> str:
    html = strip_html(Answer(text=text, data_points=points), render_answer(text, points))
    assert judged(html).faults == []
    return html


def named(*names: str) -> list[DataPoint]:
    return [DataPoint(name, name, f"Passage of {name}.") for name in names]


def test_cards_are_the_most_cited_documents_in_order_of_their_numbers():
    html = strip("Red [c.pdf]. Dry [a.pdf].", *named("a.pdf", "b.pdf", "c.pdf"))
    assert re.findall('data-point="(.*?)"', html) == ["2", "0", "1"]
    assert re.findall('class="source-number">(.)', html) == ["1", "2"]
    assert re.findall('aria-label="(.*?)"', html) == ["Source 1: C", "Source 2: A", "Source not cited: B"]
    html = strip("A [a.pdf]. B [b.pdf]. C [c.pdf]. D [d.pdf]. E [d.pdf].", *named("a.pdf", "b.pdf", "c.pdf", "d.pdf"))
    assert re.findall('class="source-number">(.)', html) == ["1", "2", "4"]
    html = strip("x", DataPoint("Leave_Policy.pdf#page=2", "", "Parental leave."))
    assert 'title="Leave_Policy.pdf#page=2" aria-label="Source not cited: Leave Policy, page 2"' in html
    assert ">Leave Policy<" in html
    assert "<bdi>PDF · p. 2</bdi>" in html


def test_the_passages_of_a_document_share_a_card_that_opens_the_first_cited_one():
    pages = named("a.pdf#page=3", "b.pdf", "a.pdf#page=2", "a.pdf#page=10-11", "a.pdf#page=2")
    html = strip("Red [a.pdf#page=2]. Dry [b.pdf]. Wet [a.pdf#page=10-11].", *pages)
    assert re.findall('data-point="(.*?)"', html) == ["2", "1", "-1"]
    assert re.findall('class="source-number">(.*?)<', html) == ["1, 3", "2"]
    assert re.findall('aria-label="(.*?)"', html) == ["Source 1, 3: A, p. 2, 10–11", "Source 2: B"]
    assert "<bdi>PDF · p. 2, 10–11</bdi>" in html
    assert "+2 more" in html, "cards and further sources add up to all sources"
    assert "<bdi>PDF · p. 2, 3, 10–11</bdi>" in strip("Red.", *pages), "uncited pages"
    assert "<bdi>PDF · p. 2, 7</bdi>" in strip("Red [a.pdf#page=2]. Dry [a.pdf#page=7].", *named("a.pdf"))
    html = strip(
        "".join(f"Red [a.pdf#page={page}]. " for page in range(1, 7)), *named(*(f"a.pdf#page={n}" for n in range(1, 7)))
    )
    assert re.findall('class="source-number">(.*?)<', html) == ["1, 2, 3, 4…"]
    html = strip("x", *(DataPoint("1", "", "Leave.", url=f"https://a.example/{one}") for one in ("b", "c", "b#d")))
    assert re.findall('data-point="(.*?)"', html) == ["0", "1"], "places on the web differ without their fragments"
    assert len(re.findall("data-point", strip("x", *named("", "", "")))) == 3, "nameless sources have nothing in common"


def test_a_button_tells_the_number_of_sources_without_a_card():
    for count, more in ((1, []), (MOST_CARDS, []), (MOST_CARDS + 1, ["1"]), (1_200, ["1,197"])):
        html = strip("", *named(*(f"a{number}.pdf" for number in range(count))))
        assert re.findall(r'data-point="-1"><bdi>\+(.*?) more<', html) == more, count
        assert html.count("strip-card") == min(count, MOST_CARDS)


def test_a_nameless_source_is_called_by_its_first_words():
    for text, title in (("", "Unnamed source"), ("<p>Parental leave.</p>", "Parental leave.")):
        for point in (DataPoint("", "\u202e", text), DataPoint("1", "Source 1", text)):
            html = strip("x", point)
            assert f'aria-label="Source not cited: {title}"' in html, text
            assert "Source 1" not in html, text
        assert "not cited: Tents," in strip("x", DataPoint("", "", text, url="https://shop.example/tents"))


def test_an_embedded_image_is_shown_small():
    cases = [
        (IMAGE + "AAAA", True), (IMAGE + "A" * 300_000, False), ("https://i.example/a.png", False),
        ("data:image/svg+xml;base64,AAAA", False),
    ]  # fmt: skip
    for image, is_shown in cases:
        html = strip("x", DataPoint("a.png", "a.png", image=image))
        assert ("<img" in html) is is_shown, image
        assert "i.example" not in html, image


def test_source_text_is_escaped_and_an_answer_without_sources_has_no_strip():
    hostile = '"><script>alert(1)</script>'
    html = strip(f"x [{hostile}.pdf]", DataPoint(f"{hostile}.pdf", hostile, hostile))
    assert "<script" not in html
    assert strip("Red [c.pdf].") == ""


def test_a_slide_a_row_or_cells_are_shown_as_words():
    points = (
        DataPoint("b.pptx", "b.pptx"),
        DataPoint("c.pptx#slide=2", "c.pptx"),
        DataPoint("d.xlsx#sheet=Costs", "d.xlsx"),
        DataPoint("e.csv#row=4", "e.csv"),
        DataPoint("f.xlsx#'My costs'!B2:C9", "f.xlsx"),
    )
    cases = [
        ("So [b.pptx, slide 4].", "PowerPoint · slide 4"), ("So [b.pptx].", "PowerPoint"),
        ("So [c.pptx, slide 2].", "PowerPoint · slide 2"), ("So [c.pptx, page 2].", "PowerPoint · slide 2"),
        ("So [d.xlsx].", "Excel · sheet Costs"), ("So [d.xlsx, Costs!B2].", "Excel · Costs!B2"),
        ("So [e.csv].", "Table · row 4"), ("So [f.xlsx, 'My costs'!C3].", "Excel · My costs!C3"),
        ("So [f.xlsx#'My costs'!B2:C9].", "Excel · My costs!B2:C9"),
        ("So [b.pptx, slide 4, 5].", "PowerPoint · slide 4"),
    ]  # fmt: skip
    for text, line in cases:
        cited = listed(points=points, text=text, use=0).partition("</section>")[0]
        assert f'dir="auto">{line}</span>' in cited, text
    for text in ("So [c.pptx, slide 3].", "So [d.xlsx, Other!A1]."):
        assert "sources-missing" in listed(points=points, text=text)
    text = "So [b.pptx, slide 9]. But [b.pptx, slide 4]."
    assert "slide 4, 9" in strip_html(Answer(text=text, data_points=points), render_answer(text, points))


def test_a_link_to_a_web_page_leads_to_the_cited_sentence():
    url = "https://c.example/leave"
    point = DataPoint(url, url, "The company is old and large. Employees have 27 days of paid leave.", url=url)
    text = f"Employees have 27 days of paid leave [{url}]."
    starts = [(None, "The%20company%20is%20old"), (0, "Employees%20have%2027%20days")]
    assert [f'href="{url}#:~:text={start}' in listed(use, (point,), text) for use, start in starts] == [True, True]
