from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.citations.brackets import bare_name, ends_in_prose, ends_in_word, is_subscripted, list_parts
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.citations.sentences import terms_of
from chat_ui.rendering.citations.source_names import (
    SourceName,
    clean_label,
    extension_of,
    last_part,
    normalized,
    normalized_form_value,
    source_name,
)
from chat_ui.rendering.html.source_titles import LONGEST, SourceTitle, cut_in_the_middle, in_words, source_title


def test_a_name_has_a_document_a_place_and_a_figure():
    wanted = {
        "plan.pdf": SourceName("plan.pdf"),
        "plan.pdf#page=8": SourceName("plan.pdf", "page=8", pages=(8, 8)),
        "plan.pdf#pages 8-11": SourceName("plan.pdf", "pages 8-11", pages=(8, 11)),
        "plan.pdf # intro": SourceName("plan.pdf", "intro"), "plan#p.8": SourceName("plan", "p.8", pages=(8, 8)),
        "C# guide": SourceName("C# guide"),
        "https://a.example/b#c": SourceName("https://a.example/b", "c"),
        "plan.pdf%23page%3D8": SourceName("plan.pdf", "page=8", pages=(8, 8)),
        "a%23b#page=2": SourceName("a%23b", "page=2", pages=(2, 2)),
        "plan.pdf, page 8": SourceName("plan.pdf", "page=8", pages=(8, 8)),
        "plan.pdf (pages 8–9)": SourceName("plan.pdf", "page=8-9", pages=(8, 9)),
        "plan.pdf#page=8(figure8_1.png)": SourceName("plan.pdf", "page=8", "figure8_1.png", (8, 8)),
        "plan.pdf(map.png)": SourceName("plan.pdf", "", "map.png"), "plan (draft)": SourceName("plan (draft)"),
        "plan.pdf#page=8(left)": SourceName("plan.pdf", "page=8", "left", (8, 8)),
        "(map.png)": SourceName("(map.png)"),
        "plan.pdf＃page=8（map.png）": SourceName("plan.pdf", "page=8", "map.png", (8, 8)),
        "Galaxy S 8": SourceName("Galaxy S 8"), "Model p8": SourceName("Model p8"),
        "Report, S. 8": SourceName("Report", "page=8", pages=(8, 8)),
        "plan.pdf, 8 pages": SourceName("plan.pdf, 8 pages"),
    }  # fmt: skip
    assert {name: source_name(name) for name in wanted} == wanted


def test_a_page_is_named_in_the_words_of_each_language():
    cases = [
        " page 8", ", pages 8", ", p. 8", ", p.8", ", p8", " pp. 8", " pg. 8", " (p. 8)", " – Page 8", "—p. 8",
        ", Page: 8", "; page=8", ": p. 8", " | Page 8", " S. 8", ", S.8", " S 8", ", Seite 8", ", S. 8 f.", ", pág. 8",
        ", pag. 8", " página 8", " pagina 8", ", págs. 8", ", str. 8", ", s. 8", ", strona 8", " str 8", ", 第8页",
        "第8页", "（第 8 頁）", " 8页", ", 页码：8", "、8ページ", " 8ページ目", " ページ8", "、第８頁",
        "، ص 8", "، ص. ٨", "، صفحة 8",
        " الصفحة ٨", ", 8쪽", " 8 페이지", ", 페이지 8", "、Ｐ．８", " ｐ8",
        ", page no. 8", ", Seite Nr. 8", ", page n° 8",
    ]  # fmt: skip
    for page in cases:
        assert source_name(f"plan.pdf{page}").pages == (8, 8)
        assert source_name(f"plan.pdf{page}").document == "plan.pdf"


def test_several_pages_have_a_first_and_a_last():
    cases = ["#page=8-9", ", pp. 8‑9", ", S. 8–9", " (pages 8−9)", ", 第8-9页", "、8〜9ページ", "، ص ٨-٩"]
    assert {pages: source_name(f"plan.pdf{pages}").pages for pages in cases} == dict.fromkeys(cases, (8, 9))


def test_missing_parts_of_a_name_exclude_nothing():
    wanted = {
        ("a.pdf", "a.pdf#page=2"): True, ("a.pdf#page=2", "a.pdf"): True, ("a.pdf#page=2", "a.pdf#p2"): True,
        ("a.pdf#page=2", "a.pdf#page=3"): False, ("a.pdf#page=2", "a.pdf#page=1-2"): True,
        ("a.pdf#page=2", "a.pdf#page=2-3"): True, ("a.pdf#page=1-4", "a.pdf#page=4"): True,
        ("a.pdf#page=1-4", "a.pdf#page=1"): True, ("a.pdf#page=1-4", "a.pdf#page=4-5"): False,
        ("a.pdf#page=2", "a.pdf#page=3-4"): False, ("a.pdf#page=5", "a.pdf#page=3-4"): False,
        ("a.pdf#intro", "a.pdf#Intro"): True, ("a.pdf#intro", "a.pdf#end"): False,
        ("a.pdf#intro", "a.pdf#page=2"): False, ("a.pdf(b.png)", "a.pdf(B.png)"): True,
        ("a.pdf(b.png)", "a.pdf(c.png)"): False, ("a.pdf(b.png)", "a.pdf#page=2"): True,
        ("a.pdf#page=2(b.png)", "a.pdf#page=3(b.png)"): False,
    }  # fmt: skip
    assert {(cited, source): source_name(cited).agrees_with(source_name(source)) for cited, source in wanted} == wanted


def test_a_file_has_an_extension_and_a_stem():
    wanted = {
        "docs/plan.PDF": ("pdf", "plan.PDF"), "plan.pdf": ("pdf", ""), "/plan.pdf": ("pdf", ""),
        "https://a.example/b/plan.md": ("md", "plan.md"), "https://a.example": ("example", ""), "docs/plan": ("", ""),
        "C:\\docs\\plan.pdf": ("pdf", "plan.pdf"), "docs/.pdf": ("", ""), "plan.7z": ("", ""),
        "plan.abcdefgh": ("abcdefgh", ""), "plan.abcdefghi": ("", ""), "plan.pdf ": ("pdf", ""),
        "docs/plan.abc": ("abc", ""),
    }  # fmt: skip
    assert {name: (extension_of(name), last_part(name)) for name in wanted} == wanted


def test_names_are_compared_without_their_spelling():
    assert normalized("Price%20 List\u200b.PDF") == normalized("price list.pdf") == "pricelist.pdf"
    assert normalized("HTTP://a.example/") == normalized("https://a.example") == "https://a.example"
    assert {normalized(f"a{dash}b") for dash in "-‐‑‒–—―−﹘﹣－"} == {"a-b"}
    assert normalized("50\u00adpages\u202fof\u00a0it") == "50pagesofit"
    assert {normalized(f"Ann{mark}s") for mark in "'‘’‛′ʼ`´＇"} == {"ann's"}
    assert {normalized(f"{marks[0]}a{marks[1]}") for marks in ('""', "“”", "„“", "«»", "″″", "＂＂")} == {'"a"'}
    assert normalized("ＡＢＣ（１）．ＰＤＦ") == "abc(1).pdf"
    assert normalized("a+b") == "a+b"
    assert normalized_form_value("a+b%21") == "ab!"
    assert clean_label(" a\x00\n b\u202e\u200bc\t") == "a bc"


def test_a_list_has_parts():
    wanted = {
        "a, b;c": ["a", "b", "c"], "a, and b and c": ["a", "b", "c"], "a | b + c & d": ["a", "b", "c", "d"],
        ",a,, b ,": ["a", "b"], "": [], "andy & co/op": ["andy", "co/op"],
    }  # fmt: skip
    assert {text: [text[start:end] for start, end in list_parts(text)] for text in wanted} == wanted


def test_a_name_is_stripped_of_words_and_quotes():
    wanted = {
        "Source: a.md": "a.md", "sources 2: 'a.md'": "a.md", "**“a.md”**": "a.md", "_a.md_": "a.md", "__": "__",
        "_a": "_a", "1. a.md": "a.md", "see also a.md": "a.md", "https://a.example": "https://a.example",
        "a.md": "a.md", " Quelle: »a«": "a",
    }  # fmt: skip
    assert {name: bare_name(name) for name in wanted} == wanted


def test_a_bracket_after_an_identifier_is_an_index():
    wanted = {
        "": False, "arr": True, "x_": True, "m[1]": True, "f(x)": True, "(see above)": False, "It is (so)": False,
        "Wort ": False, "é": False, "5": True, "a(b(c))": True, "a)": False, "ends.": False, "array ": True,
        "Then argv ": True, "an array ": False, "the array ": False, "a byte array ": False, "the code array ": True,
        "arrays ": False, "the list ": False,
    }  # fmt: skip
    assert {before: is_subscripted(before) for before in wanted} == wanted


def test_a_word_of_a_sentence_is_told_from_a_variable():
    wanted = {
        "Bring a lamp": True, "lamp": False, "Lamp": True, "Lamps": True, "A userName": False, "Bring the list": False,
        "Bring the tent(s)": True, "In the EU": True, "It costs 5": True, "do it": True, "and old": True,
        "and, old": True, "in 5 ago": True, "Yes": True, "old": False, "= old": False, "a, = old": False,
        "Read foo": False, "Use map": False, "In the map": True, "Map": False, "The dp": False,
        "The variable old": False, "The GPT-4o": True, "Less CO2": True, "cats and/or": True, "of dell’acqua": True,
        "of l'eau": True, "so[1], too": True, "So. No": True, "He is": True, "of x": False, "The x1": False,
        "in the box": True, "x = y": False, "": False, "Look, the sea": True, "The user's": True,
        "It is a check-in": True, "Of iPhone": True, "Of myPhone": False, "The lamp": True, "In code, result": False,
        "As a result": True, "The final result": True, "Read the variable result": False, "Good results": True,
        "Then token": False,
    }  # fmt: skip
    assert {before: ends_in_prose(before) for before in wanted} == wanted


def test_a_footnote_may_follow_a_short_word():
    wanted = {
        "It is": True, "Dry": True, "so long": True, "x": False, "items": False, "aaBb": False, "x_": False,
        "a token": False, "": False, "end.": False,
    }  # fmt: skip
    assert {before: ends_in_word(before) for before in wanted} == wanted


def test_terms_are_meaningful_words_without_endings():
    assert terms_of("The Tents, parties and boxes: x 7 fixing fixed uses sing parked rules") == {
        *("tent", "part", "boxe", "7", "fixing", "fixed", "uses", "sing", "park", "rule")
    }


def titled(*point: str, **more: str) -> SourceTitle:
    data_point = DataPoint(*point, **more)
    return source_title(data_point, SourceIndex((data_point,)).label(0))


def test_a_file_name_gives_a_title_a_kind_and_a_place():
    cases = [
        ("Leave_Policy.pdf#page=2", "Leave Policy", "PDF · page 2"),
        ("Leave_Policy.pdf#page=2-4", "Leave Policy", "PDF · pages 2–4"),
        ("Leave%20Policy.pdf", "Leave Policy", "PDF"), ("hr/2024/Leave_Policy.docx", "Leave Policy", "Word"),
        ("hr\\Leave_Policy.docx", "Leave Policy", "Word"),
        ("plan.pdf#page=8(figure8_1.png)", "Plan", "Image · page 8, figure8_1"),
        ("guide.md#getting-started", "Guide", "Markdown · getting started"),
        ("Calendar.txt (2)", "Calendar", "Text · passage 2"), ("prices.csv", "Prices", "Table"),
        ("talk.pptm#slide=3", "Talk", "PowerPoint · slide 3"), ("re.msg", "Re", "E-mail"), ("a.odp", "A", "ODP"),
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


def test_a_title_of_the_backend_wins():
    wanted = {
        ("a.md", "The guide"): "The guide", ("4f", "The guide"): "The guide", ("1", "Source 1"): "Source 1",
        ("doc1", "Leave_Policy.pdf"): "Leave Policy", ("a.md#page=2", "a.md"): "A",
    }  # fmt: skip
    assert {point: titled(*point).title for point in wanted} == wanted


def test_a_web_page_has_its_host_and_its_title_or_last_path_segment():
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


def test_a_title_keeps_the_id_and_is_cut_in_the_middle():
    assert titled("https://[bad/", "x").title == "x"
    found = titled("image1", "Image 1", image="data:image/png;base64,AA")
    assert (found.title, found.line, found.icon) == ("Image 1", "Image", "image")
    found = titled("Leave_Policy.pdf#page=2", "Leave_Policy.pdf")
    assert (found.id, found.short_place) == ("Leave_Policy.pdf#page=2", "p. 2")
    assert titled("a.pdf#page=2-4", "").short_place == "pp. 2–4"
    found = titled(f"{'Long_' * 100}End.pdf", "")
    assert len(found.title) <= LONGEST
    assert found.title.startswith("Long Long")
    assert found.title.endswith("Long End")
    assert found.title.count("…") == 1
    assert cut_in_the_middle("abcdefghi", 9) == "abcdefghi"
    assert cut_in_the_middle("abc     def", 9) == "abc def"
    assert cut_in_the_middle("abcdefghij", 9) == "abcde…hij"


def test_a_place_in_words_is_as_after_the_mark():
    wanted = {
        "b.pptx, slide 4": "slide=4", "b.pptx (Folie 4)": "slide=4", "b.pptx slide #4": "slide=4",
        "b.pptx, diapositiva n° 4": "slide=4", "b.pptx、スライド4": "slide=4", "b.pptx, slides 4–6": "slide=4",
        "b.xlsx, Sheet1!B2": "Sheet1!B2", "b.xlsx, My sheet!B2:C9": "My sheet!B2:C9", "b.xlsx 'A b'!C3": "'A b'!C3",
        "b.xlsx, sheet Costs": "sheet=Costs", "b.xlsx (Blatt: My costs)": "sheet=My%20costs",
        "b.csv, row 4": "row=4", "b.csv, Zeile 4": "row=4", "b.csv, 第4行": "row=4", "my b.xlsx Sheet1!B2": "Sheet1!B2",
    }  # fmt: skip
    assert {name: source_name(name).fragment for name in wanted} == wanted
    assert {source_name(name).document for name in wanted} == {"b.pptx", "b.xlsx", "b.csv", "my b.xlsx"}
    for text in ("Folder, slide 4", "a.md says row 4 now", "plan, sheet Costs"):
        assert source_name(text) == SourceName(text)
