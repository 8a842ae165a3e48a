"""What a person reads as the title of a source, its kind and its place."""

from __future__ import annotations

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.html.source_titles import LONGEST, SourceTitle, cut_in_the_middle, in_words, source_title


def titled(*point: str, **more: str) -> SourceTitle:
    data_point = DataPoint(*point, **more)
    return source_title(data_point, SourceIndex((data_point,)).label(0))


def test_a_name_of_a_file_is_a_title_a_kind_and_a_place():
    cases = [
        ("Leave_Policy.pdf#page=2", "Leave Policy", "PDF · page 2"),
        ("Leave_Policy.pdf#page=2-4", "Leave Policy", "PDF · pages 2–4"),
        ("Leave%20Policy.pdf", "Leave Policy", "PDF"), ("hr/2024/Leave_Policy.docx", "Leave Policy", "Word"),
        ("hr\\Leave_Policy.docx", "Leave Policy", "Word"),
        ("plan.pdf#page=8(figure8_1.png)", "Plan", "Image · page 8, figure8_1"),
        ("guide.md#getting-started", "Guide", "Markdown · getting started"),
        ("Calendar.txt (2)", "Calendar", "Text · passage 2"), ("prices.csv", "Prices", "Table"),
        ("notes.parquet", "Notes", "PARQUET"), ("a.pdf#page=-1", "A", "PDF · page=-1"),
        ("a.pdf#page=2-1", "A", "PDF · page=2-1"), ("%00.pdf", "%00", "PDF"), ("https://[::1", "https://[::1", ""),
        ("https://", "https://", ""), ("休暇_規程.pdf#page=3", "休暇 規程", "PDF · page 3"),
        ("سياسة_الإجازات.pdf", "سياسة الإجازات", "PDF"), ("___.pdf", "___.pdf", "PDF"), ("x%FF.pdf", "x%FF", "PDF"),
        ("\u202eexe\u202c.pdf", "Exe", "PDF"), ("C# guide", "C# guide", ""), ("just words", "just words", ""),
        ("4f", "4f", ""), (" ", "Source 1", ""),
    ]  # fmt: skip
    for name, title, line in cases:
        found = titled(name, name)
        assert (found.title, found.line) == (title, line), name


def test_underscores_and_hyphens_are_spaces_but_not_in_dates_and_versions():
    wanted = {
        "employee-handbook-2024": "Employee handbook 2024", "Employee_Handbook_2024": "Employee Handbook 2024",
        "e-mail_policy": "E-mail policy", "Leave Policy - final": "Leave Policy - final",
        "Policy_v1.2_2024-05-01": "Policy v1.2 2024-05-01", "2024-05-01-minutes": "2024-05-01 minutes",
        "Report_2024_05_01": "Report 2024_05_01", "PerksPlus": "PerksPlus", "iPhone_setup": "iPhone setup",
        "ßtraße_eins": "ßtraße eins", "--": "", "": "",
    }  # fmt: skip
    assert {name: in_words(name) for name in wanted} == wanted


def test_a_title_that_the_backend_gives_wins():
    wanted = {
        ("a.md", "The guide"): "The guide", ("4f", "The guide"): "The guide", ("1", "Source 1"): "Source 1",
        ("doc1", "Leave_Policy.pdf"): "Leave Policy", ("a.md#page=2", "a.md"): "A",
    }  # fmt: skip
    assert {point: titled(*point).title for point in wanted} == wanted


def test_a_page_of_a_web_site_has_its_host_and_its_title_or_the_last_part_of_its_address():
    cases = [
        ("https://www.shop.example/tents", "Shop", "Shop", "shop.example"),
        ("https://a.example/docs/getting-started.html?a#b", "", "Getting started", "a.example"),
        ("https://a.example/docs/index.html", "", "a.example", "a.example"),
        ("https://a.example/", "", "a.example", "a.example"),
        ("https://a.example/Leave%20Policy.aspx", "", "Leave Policy", "a.example"),
        ("https://bücher.example/x", "", "X", "xn--bcher-kva.example"),
    ]
    for url, source, title, place in cases:
        found = titled(url, source, url=url)
        assert (found.title, found.kind, found.place, found.icon) == (title, "Web", place, "globe"), url
        assert titled("https://a.example/plan.pdf", "").line == "PDF · a.example", url
        paged = titled("1", "", url="https://a.example/plan.pdf#page=2")
        assert (paged.line, paged.line_before_site) == ("PDF · page 2, a.example", "PDF · page 2"), url
        assert paged.short_place == "p. 2, a.example", url


def test_an_address_that_is_none_does_no_harm():
    assert titled("https://[bad/", "x").title == "x"


def test_an_image_is_an_image_whatever_its_name_is():
    found = titled("image1", "Image 1", image="data:image/png;base64,AA")
    assert (found.title, found.line, found.icon) == ("Image 1", "Image", "image")


def test_the_id_is_kept_and_a_place_has_a_short_form():
    found = titled("Leave_Policy.pdf#page=2", "Leave_Policy.pdf")
    assert (found.id, found.short_place) == ("Leave_Policy.pdf#page=2", "p. 2")
    assert titled("a.pdf#page=2-4", "").short_place == "pp. 2–4"


def test_a_very_long_title_is_cut_in_the_middle():
    found = titled(f"{'Long_' * 100}End.pdf", "")
    assert len(found.title) <= LONGEST
    assert found.title.startswith("Long Long")
    assert found.title.endswith("Long End")
    assert found.title.count("…") == 1
    assert cut_in_the_middle("abcdefghi", 9) == "abcdefghi"
    assert cut_in_the_middle("abc     def", 9) == "abc def"
    assert cut_in_the_middle("abcdefghij", 9) == "abcde…hij"
