"""The set of made answers: what each of their brackets cites."""

from __future__ import annotations

from typing import Any

from tests.rendering.matching.answers import Made

PIXEL = "data:image/png;base64,iVBORw0KGgo="


def text(*points: str, **more: Any) -> dict[str, Any]:
    return {"data_points": {"text": list(points), **more}}


HARBOUR = text(
    "Harbour_Rules.pdf#page=2: Speed in the basin is four knots.",
    "Harbour_Rules.pdf#page=7: Anchoring is forbidden near the cable.",
    "Rules.pdf#page=1: These are other rules.",
    "Tide Tables 2026.csv: High water at six.",
    "Österhamn.md: Gäster förtöjer vid kajen.",
    "港口手册.pdf#page=3: 港内限速四节。",
    "notes.txt: Bring a lamp.",
)
DRAWINGS = {
    "data_points": {
        "text": ["Mooring.pdf#page=8: The chain holds the buoy."],
        "images": [{"url": PIXEL, "detail": "auto"}],
        "citations": ["Mooring.pdf#page=8", "Mooring.pdf#page=8(figure8_1.png)"],
    }
}
LOOSE_FIGURE = {
    "data_points": {"text": ["Mooring.pdf#page=8: The chain."], "images": [{"id": "figure8_1.png", "url": PIXEL}]}
}
SHOP = {
    "data_points": {
        "3": {"id": 3, "name": "Storm lantern", "description": "Burns for a night."},
        "12": {"id": 12, "name": "Rope", "description": "Thirty metres."},
        "40": {"id": 40, "name": "Anchor", "description": "Eight kilograms."},
    }
}
SHOP_LIST = {
    "data_points": [{"id": "7", "name": "Oar", "content": "Ash wood."}, {"id": "8", "name": "Sail", "content": "Red."}]
}
TIDES, FOG = "5e7acdfb-c62f-48b9-942e-5b8e4f774a6b", "04d1a0c2-77aa-4f0b-9a5e-1c1f1d6f2b9e"
NODES = {
    "sources": {
        TIDES: {"text": "High at six.", "metadata": {"file_name": "tides.pdf", "page_label": "2"}},
        FOG: {"text": "At dawn.", "metadata": {"file_name": "fog.pdf"}},
    }
}
OWN_DATA = {
    "citations": [
        {"content": "Quay fees are paid monthly.", "title": "Fees", "filepath": "fees.pdf", "url": None},
        {
            "content": "Guests pay daily.",
            "title": "Guests",
            "filepath": "guests.md",
            "url": {"url": "https://port.example/g"},
        },
        {"content": "Fishing boats pay half.", "title": "Fishing", "filepath": "null", "url": "https://port.example/f"},
    ],
    "intent": '["quay fees"]',
}
WEB = {
    "data_points": {
        "text": ["local.txt: A local note."],
        "external_results_metadata": [
            {"id": "w1", "title": "Sea state today", "url": "https://sea.example/today", "snippet": "Calm."},
            {"id": "w2", "title": "Forecast", "url": "https://sea.example/forecast?days=3", "snippet": "Wind later."},
        ],
    }
}
PLAIN_LIST = {"data_points": ["crew.txt: Six people.", "ship.pdf#page=1: Built in 1954.", "ship.pdf#page=4: Refitted."]}
CODE = text("list.pdf#page=1: Lists begin at zero.", "__init__.py: It is empty.")
COMMAS = text("oars, sails and ropes.txt: A chapter.", "oars.txt: Another.", "ropes.txt: A third.")
TWICE = text("log.txt: Monday was calm.", "log.txt: Tuesday was not.")
LONG = tuple(
    f"Minutes of the harbour council, {month} {year}.pdf"
    for month in ("May", "June")
    for year in (1954, 1955, 1956, 1957)
)
SHELF = text(
    "Logbook (1954).pdf#page=12: The mast was new.",
    "Logbook (1954).pdf#page=14: The sails were not.",
    "Crew & Cargo v1.2.docx: Six people, four tons.",
    "Plans [final].pdf#page=1: The hull.",
    "50% less wind.txt: A slow year.",
    "archive/old ships/Register.pdf#page=2: Forty ships.",
    "https://files.example/Shared%20Docs/Lamp%20Oil.docx: Colza.",
)
FIGURES = text(
    "Rig.pdf#page=8: The rig.", citations=["Rig.pdf#page=8", "Rig.pdf#page=8(rig_1.png)", "Rig.pdf#page=8(rig_2.png)"]
)
SCRIPTS = text("Руководство.docx: Карта.", "دليل الميناء.pdf#page=2: أربع عقد.", "港の手引き.pdf#page=4: 四ノット。")
KNOWLEDGE_BASE = {
    "sources": {
        "0": {"id": "0", "title": "Quay Rules.docx", "url": "https://port.example/quay", "content": "Four knots."},
        "1": {"id": "1", "title": "Lamp Oil.pdf", "content": "Colza."},
        "2": {"id": "2", "title": "Ropes.md", "content": "Hemp."},
    }
}
PAGES = {
    "data_points": {
        "external_results_metadata": [
            {"id": "1", "title": "Tides", "url": "https://sea.example/tides", "snippet": "High at six."},
            {"id": "2", "title": "Wind", "url": "https://sea.example/wind_(west)", "snippet": "From the west."},
            {"id": "3", "title": "Fog", "url": "https://sea.example/fog", "snippet": "At dawn."},
            {"id": "4", "title": "Ice", "url": "https://sea.example/ice", "snippet": "In March."},
        ]
    }
}
ADDRESSES = {"citations": ["https://sea.example/tides", "https://sea.example/fog"]}
ANNOTATED = {
    "annotations": [
        {"type": "file_citation", "file_citation": {"file_id": "file-7", "file_name": "Tide Tables.pdf"}},
        {"type": "file_citation", "file_citation": {"file_id": "file-8"}},
    ]
}

FOUND = {
    "data_points": [
        {"id": "turn0search1", "title": "Tides", "content": "High at six."},
        {"id": "turn0file3", "title": "Fog", "content": "At dawn."},
    ]
}

MADE = (
    # Exactly as the source is called.
    Made("exact", "b", HARBOUR, "Go slowly [Harbour_Rules.pdf#page=2].", ("Harbour_Rules.pdf#page=2",), ("exact",)),
    Made("exact in A", "a", HARBOUR, "A lamp [notes.txt].", ("notes.txt",), ("exact",)),
    Made("exact in C", "c", HARBOUR, "High water [Tide Tables 2026.csv].", ("Tide Tables 2026.csv",), ("exact",)),
    Made("exact in E", "e", HARBOUR, "限速四节[港口手册.pdf#page=3]。", ("港口手册.pdf#page=3",), ("exact",)),
    Made(
        "two brackets",
        "e",
        HARBOUR,
        "So it is [Harbour_Rules.pdf#page=2][notes.txt].",
        ("Harbour_Rules.pdf#page=2", "notes.txt"),
    ),
    Made("two with a space", "b", HARBOUR, "So [notes.txt] [Österhamn.md].", ("notes.txt", "Österhamn.md")),
    Made("comma", "b", HARBOUR, "So [notes.txt, Harbour_Rules.pdf#page=7].", ("notes.txt", "Harbour_Rules.pdf#page=7")),
    Made("semicolon", "e", HARBOUR, "So [notes.txt; Österhamn.md].", ("notes.txt", "Österhamn.md")),
    Made("and", "b", HARBOUR, "So [notes.txt and Österhamn.md].", ("notes.txt", "Österhamn.md")),
    Made(
        "plain list of strings",
        "a",
        PLAIN_LIST,
        "Built [ship.pdf#page=1], refitted [ship.pdf#page=4].",
        ("ship.pdf#page=1", "ship.pdf#page=4"),
    ),
    Made(
        "a name with commas",
        "b",
        COMMAS,
        "Read [oars, sails and ropes.txt].",
        ("oars, sails and ropes.txt",),
        ("exact",),
    ),
    Made(
        "names of which one is part of another", "b", COMMAS, "Read [oars.txt, ropes.txt].", ("oars.txt", "ropes.txt")
    ),
    # By its name, written another way.
    Made("percent-encoded", "b", HARBOUR, "At six [Tide%20Tables%202026.csv].", ("Tide Tables 2026.csv",), ("name",)),
    Made("percent-encoded umlaut", "e", HARBOUR, "Moor [%C3%96sterhamn.md].", ("Österhamn.md",), ("name",)),
    Made("decomposed umlaut", "c", HARBOUR, "Moor [O\u0308sterhamn.md].", ("Österhamn.md",), ("name",)),
    Made("case", "a", HARBOUR, "Slowly [harbour_rules.PDF#page=2].", ("Harbour_Rules.pdf#page=2",), ("name",)),
    Made("spaces", "b", HARBOUR, "At six [Tide  Tables 2026.csv ].", ("Tide Tables 2026.csv",), ("name",)),
    Made(
        "escaped underscore",
        "b",
        HARBOUR,
        "Slowly [Harbour\\_Rules.pdf#page=2].",
        ("Harbour_Rules.pdf#page=2",),
        ("exact",),
    ),
    Made("quoted", "b", HARBOUR, 'A lamp ["notes.txt"].', ("notes.txt",)),
    Made("bold inside the bracket", "e", HARBOUR, "A lamp [**notes.txt**].", ("notes.txt",)),
    Made("after a word", "b", HARBOUR, "A lamp [Source: notes.txt].", ("notes.txt",)),
    Made("a page in words", "b", HARBOUR, "No anchors [Harbour_Rules.pdf, page 7].", ("Harbour_Rules.pdf#page=7",)),
    # The page or the figure left out on either side.
    Made(
        "page left out, the first of the document",
        "b",
        HARBOUR,
        "See [Harbour_Rules.pdf].",
        ("Harbour_Rules.pdf#page=2",),
    ),
    Made("page only in the citation", "b", HARBOUR, "A lamp [notes.txt#page=3].", ("notes.txt",), ("page",)),
    Made("figure left out", "b", DRAWINGS, "The chain [Mooring.pdf#page=8].", ("Mooring.pdf#page=8",), ("exact",)),
    Made(
        "figure",
        "b",
        DRAWINGS,
        "The drawing [Mooring.pdf#page=8(figure8_1.png)].",
        ("Mooring.pdf#page=8(figure8_1.png)",),
    ),
    Made(
        "figure that is an image of its own",
        "e",
        LOOSE_FIGURE,
        "Drawn [Mooring.pdf#page=8(figure8_1.png)].",
        ("figure8_1.png",),
        ("figure",),
    ),
    Made(
        "figure by its own name",
        "b",
        DRAWINGS,
        "Drawn [figure8_1.png].",
        ("Mooring.pdf#page=8(figure8_1.png)",),
        ("figure",),
    ),
    # By number.
    Made("number", "b", SHOP, "Take the lantern [3].", ("3",), ("number",)),
    Made("numbers side by side", "b", SHOP, "Take both [3][12].", ("3", "12")),
    Made("numbers with a comma", "e", SHOP, "Take all [3, 12, 40].", ("3", "12", "40")),
    Made("numbers in a list of objects", "a", SHOP_LIST, "An oar [7] and a sail [8].", ("7", "8")),
    Made("number after a word of a sentence", "b", SHOP, "It burns for a whole night[3].", ("3",), ("number",)),
    Made("number after a year", "b", SHOP, "It was sold in 2024[12].", ("12",)),
    Made("number after a full stop", "b", SHOP, "It burns long.[3] Rope helps.[12]", ("3", "12")),
    Made("number at the start of a line", "b", SHOP, "[40] is the heaviest.", ("40",)),
    Made("number that nothing has", "b", SHOP, "Take two [99].", (None,), ("not found",)),
    Made("a list of sources at the end", "b", SHOP, "Take it [3].\n\n[3]: Lantern\n[12]: Rope.pdf", ("3", "3", "12")),
    Made("a name where sources go by number", "b", SHOP, "Take the [Rope].", ("12",), ("exact",)),
    # `[doc1]` counts the citations of On Your Data.
    Made("doc number", "d", OWN_DATA, "Monthly [doc1].", ("doc1",), ("number",)),
    Made("doc numbers", "d", OWN_DATA, "Both [doc1][doc3].", ("doc1", "doc3")),
    Made("doc numbers with a comma", "d", OWN_DATA, "Both [doc2, doc3].", ("doc2", "doc3")),
    Made("doc number that nothing has", "d", OWN_DATA, "Perhaps [doc9].", (None,), ("not found",)),
    Made("doc number in F", "f", OWN_DATA, "Daily [doc2].", ("doc2",), ("number",)),
    Made("file path in F", "f", OWN_DATA, "Monthly [fees.pdf].", ("doc1",)),
    Made("doc number in another case", "f", OWN_DATA, "Half [Doc3].", ("doc3",)),
    Made("doc number right after a word", "d", OWN_DATA, "Guests pay daily[doc2].", ("doc2",)),
    # Web addresses.
    Made("web address", "e", WEB, "Calm [https://sea.example/today].", ("w1",)),
    Made("web address with a slash more", "e", WEB, "Calm [https://sea.example/today/].", ("w1",), ("name",)),
    Made("web address with a query", "b", WEB, "Wind [https://sea.example/forecast?days=3].", ("w2",)),
    Made("web address that was not retrieved", "e", WEB, "Rain [https://rain.example/].", (None,)),
    # Anywhere text stands.
    Made("heading", "b", HARBOUR, "## Lamps [notes.txt]\n\nBring one.", ("notes.txt",)),
    Made("bold", "b", HARBOUR, "**A lamp [notes.txt]**", ("notes.txt",)),
    Made(
        "list", "e", HARBOUR, "- a lamp [notes.txt]\n- a rope\n  1. red [Österhamn.md]", ("notes.txt", "Österhamn.md")
    ),
    Made("table cell", "b", HARBOUR, "| what | where |\n|---|---|\n| lamp | [notes.txt] |", ("notes.txt",)),
    Made("HTML table", "b", HARBOUR, "<table><tr><td>lamp</td><td>[notes.txt]</td></tr></table>", ("notes.txt",)),
    Made("quote", "c", HARBOUR, "> Bring a lamp [notes.txt].", ("notes.txt",)),
    Made("bracket in a bracket", "b", HARBOUR, "A lamp [see [notes.txt]].", ("notes.txt",)),
    Made("a bracket that stays open", "b", HARBOUR, "A lamp [notes.txt] and [a rope", ("notes.txt",)),
    Made("before a round bracket", "b", HARBOUR, "A lamp [notes.txt] (page 2).", ("notes.txt",)),
    Made(
        "a source and a definition of nothing",
        "b",
        HARBOUR,
        "[notes.txt]: yes\n\nAgain [notes.txt].",
        ("notes.txt", "notes.txt"),
    ),
    Made("two passages of one name", "b", TWICE, "Calm [log.txt].", ("log.txt",)),
    # Made up.
    Made("another document", "b", HARBOUR, "So [Invented_Rules.pdf].", (None,), ("not found",)),
    Made("a mere suffix is another document", "b", text("Harbour_Rules.pdf: A."), "So [Rules.pdf].", (None,)),
    Made("a page that was not retrieved", "b", HARBOUR, "So [Harbour_Rules.pdf#page=5].", (None,)),
    Made("one found and one not", "e", HARBOUR, "So [notes.txt, Invented.docx].", ("notes.txt", None)),
    Made("nothing was retrieved", "b", {"data_points": {"text": []}}, "So [Somewhere.pdf].", (None,)),
    # Not citations.
    Made("an index, where a page has that number", "b", CODE, "The first is arr[1], then arr[0]."),
    Made("an index, where sources go by number", "b", SHOP, "In code, arr[3] and items[12] and x_[3] differ."),
    Made("a page alone", "b", HARBOUR, "See [page=2] and [page 7]."),
    Made("an interval", "b", SHOP, "In [0, 5) or (0, 3]."),
    Made("sic and dots", "b", HARBOUR, "He sed [sic] that [...] it is."),
    Made("a unit", "e", HARBOUR, "Four [km / h]."),
    Made("code", "b", HARBOUR, "`[notes.txt]`\n\n```\n[notes.txt]\n```\n\n    [notes.txt]"),
    Made("a formula", "b", SHOP, "Let $x[3]$ be $[3]$."),
    Made("a link and an image", "b", HARBOUR, "[notes.txt](https://n.example) ![notes.txt](https://n.example/i.png)"),
    Made("text of a link", "b", HARBOUR, "[read [notes.txt] here](https://n.example)"),
    Made("a footnote", "b", SHOP, "It burns.[^3]\n\n[^3]: All night."),
    Made("tasks", "b", SHOP, "- [ ] rope\n- [x] oar"),
    Made("escaped", "b", HARBOUR, "\\[notes.txt\\]"),
    Made("a link by reference", "b", SHOP, "See [3].\n\n[3]: https://n.example/three"),
    Made("numbers where sources go by name", "b", HARBOUR, "First [1], then [2]."),
    Made("a word", "b", HARBOUR, "It is [very] good [Rules] here."),
    # Names that hold what brackets and addresses are made of.
    Made("round brackets in a name", "b", SHELF, "New [Logbook (1954).pdf#page=12].", ("Logbook (1954).pdf#page=12",)),
    Made(
        "round brackets in a name, encoded",
        "e",
        SHELF,
        "Not new [Logbook%20%281954%29.pdf#page=14].",
        ("Logbook (1954).pdf#page=14",),
    ),
    Made("plus signs for spaces", "b", SHELF, "Not new [Logbook+(1954).pdf#page=14].", ("Logbook (1954).pdf#page=14",)),
    Made(
        "square brackets in a name", "b", SHELF, "The hull [Plans [final].pdf#page=1].", ("Plans [final].pdf#page=1",)
    ),
    Made("ampersand", "c", SHELF, "Six [Crew & Cargo v1.2.docx].", ("Crew & Cargo v1.2.docx",), ("exact",)),
    Made("ampersand as an entity", "b", SHELF, "Six [Crew &amp; Cargo v1.2.docx].", ("Crew & Cargo v1.2.docx",)),
    Made("per cent", "b", SHELF, "Slow [50% less wind.txt].", ("50% less wind.txt",), ("exact",)),
    Made("per cent, encoded", "b", SHELF, "Slow [50%25%20less%20wind.txt].", ("50% less wind.txt",), ("name",)),
    Made(
        "a path by its last part",
        "b",
        SHELF,
        "Forty [Register.pdf#page=2].",
        ("archive/old ships/Register.pdf#page=2",),
    ),
    Made(
        "an address by its last part",
        "e",
        SHELF,
        "Colza [Lamp Oil.docx].",
        ("https://files.example/Shared%20Docs/Lamp%20Oil.docx",),
    ),
    Made(
        "an address that is decoded",
        "e",
        SHELF,
        "Colza [https://files.example/Shared Docs/Lamp Oil.docx].",
        ("https://files.example/Shared%20Docs/Lamp%20Oil.docx",),
    ),
    Made("Cyrillic in another case", "b", SCRIPTS, "Да [руководство.DOCX].", ("Руководство.docx",), ("name",)),
    Made(
        "Arabic with direction marks",
        "b",
        SCRIPTS,
        "نعم [\u200fدليل الميناء.pdf#page=2\u200f].",
        ("دليل الميناء.pdf#page=2",),
    ),
    Made(
        "Japanese with a wide sign",
        "e",
        SCRIPTS,
        "です[港の手引き.pdf＃page=4]。",
        ("港の手引き.pdf#page=4",),
        ("name",),
    ),
    # Pages said in another way.
    Made("page in round brackets", "b", HARBOUR, "So [Harbour_Rules.pdf (page 7)].", ("Harbour_Rules.pdf#page=7",)),
    Made("page with a p", "b", HARBOUR, "So [Harbour_Rules.pdf p. 7].", ("Harbour_Rules.pdf#page=7",)),
    Made(
        "two pages of one document",
        "b",
        HARBOUR,
        "So [Harbour_Rules.pdf#page=2, #page=7].",
        ("Harbour_Rules.pdf#page=2", "Harbour_Rules.pdf#page=7"),
    ),
    Made(
        "a range of pages", "e", HARBOUR, "So [Harbour_Rules.pdf#page=6-8].", ("Harbour_Rules.pdf#page=7",), ("page",)
    ),
    Made("a page in words that was not retrieved", "b", HARBOUR, "So [Harbour_Rules.pdf, page 5].", (None,)),
    Made("a figure of a page", "b", FIGURES, "So [rig_2.png].", ("Rig.pdf#page=8(rig_2.png)",), ("figure",)),
    Made("one figure of two", "b", FIGURES, "So [Rig.pdf#page=8(rig_2.png)].", ("Rig.pdf#page=8(rig_2.png)",)),
    # Lists.
    Made("a comma too many", "b", HARBOUR, "So [notes.txt, ].", ("notes.txt",)),
    Made(
        "two separators",
        "b",
        HARBOUR,
        "So [notes.txt, Österhamn.md; Harbour_Rules.pdf#page=7].",
        ("notes.txt", "Österhamn.md", "Harbour_Rules.pdf#page=7"),
    ),
    Made(
        "a comma and an and",
        "b",
        HARBOUR,
        "So [notes.txt, Österhamn.md, and Harbour_Rules.pdf#page=2].",
        ("notes.txt", "Österhamn.md", "Harbour_Rules.pdf#page=2"),
    ),
    Made("each in quotes", "e", HARBOUR, 'So ["notes.txt", "Österhamn.md"].', ("notes.txt", "Österhamn.md")),
    Made("a list after a word", "b", HARBOUR, "So [Sources: notes.txt, Österhamn.md].", ("notes.txt", "Österhamn.md")),
    Made(
        "a name with commas in a list",
        "b",
        COMMAS,
        "So [oars.txt, oars, sails and ropes.txt].",
        ("oars.txt", "oars, sails and ropes.txt"),
    ),
    Made("the same twice", "b", HARBOUR, "So [notes.txt, NOTES.txt].", ("notes.txt",)),
    Made("two of which none is there", "b", HARBOUR, "So [one.pdf, two.docx].", (None, None)),
    Made(
        "a list longer than a line",
        "b",
        {"data_points": {"text": [f"{name}: Words." for name in LONG]}},
        f"So [{', '.join(LONG)}].",
        LONG,
    ),
    Made("emphasis inside the bracket", "b", HARBOUR, "So [_notes.txt_].", ("notes.txt",)),
    Made("see also", "b", HARBOUR, "So [see also notes.txt].", ("notes.txt",)),
    Made("a word and a number", "b", SHOP, "Burns [Source 3] long [source: 12].", ("3", "12")),
    Made("an address in angle brackets", "e", WEB, "Calm [<https://sea.example/today>].", ("w1",)),
    Made("another scheme", "e", WEB, "Calm [http://sea.example/today].", ("w1",), ("name",)),
    # Where text stands.
    Made(
        "summary", "b", HARBOUR, "<details><summary>Lamps [notes.txt]</summary>\n\nOne.\n\n</details>", ("notes.txt",)
    ),
    Made("footnote's text", "b", HARBOUR, "A lamp.[^a]\n\n[^a]: Says [notes.txt].", ("notes.txt",)),
    Made("number in superscript", "b", SHOP, "Burns long<sup>[3]</sup>.", ("3",)),
    Made("number after a price", "b", SHOP, "It costs $25[3].", ("3",)),
    Made("number after emphasis", "e", SHOP, "It burns **long**[3].", ("3",)),
    Made("number in a cell of one word", "b", SHOP, "| what |\n|---|\n| Lantern[3] |", ("3",)),
    Made("number in round brackets", "b", SHOP, "It burns long ([3]).", ("3",)),
    # Not citations, though a source is near.
    Made("intervals with numbers of sources", "b", SHOP, "In [0, 3] or [0,12) or (3, 12]."),
    Made("subscripts of names and calls", "b", SHOP, "Then sys.argv[3], f(x)[12], m[3][12] and os.environ[40]."),
    Made("a key in code", "b", SHELF, 'Read config["lamp.json"] first.'),
    Made(
        "placeholders", "b", HARBOUR, "[your name] [TODO] [Y/n] [N/A] [kg/m^3] [e.g. this] [1.0.0] [a-z] [@user] [#tag]"
    ),
    Made("words that a source begins with", "b", HARBOUR, "The [Harbour] has [Rules] and [notes]."),
    Made("a comment", "b", HARBOUR, "It is so. <!-- [notes.txt] -->", ("notes.txt",)),
    Made("an attribute", "b", HARBOUR, "<span title='[notes.txt]'>It</span> is so."),
    # References of Azure AI Search's knowledge bases: their ids, from 0 on.
    Made("ref id", "b", KNOWLEDGE_BASE, "Four knots [ref_id:0].", ("0",), ("number",)),
    Made("ref ids side by side", "e", KNOWLEDGE_BASE, "Both [ref_id:2][ref_id:0].", ("2", "0")),
    Made("ref ids with a comma", "b", KNOWLEDGE_BASE, "Both [ref_id:1, ref_id:2].", ("1", "2")),
    Made("ref ids after one word", "b", KNOWLEDGE_BASE, "Both [ref_id: 1, 2].", ("1", "2")),
    Made("ref id right after a word", "b", KNOWLEDGE_BASE, "It is so[ref_id:1].", ("1",)),
    Made("ref id in a cell", "b", KNOWLEDGE_BASE, "| oil |\n|---|\n| Colza[ref_id:1] |", ("1",)),
    Made("ref id in an HTML table", "b", KNOWLEDGE_BASE, "<table><tr><td>Colza [ref_id:1]</td></tr></table>", ("1",)),
    Made("ref id that nothing has", "b", KNOWLEDGE_BASE, "So [ref_id:9].", (None,), ("not found",)),
    Made("ref id where sources go by name", "b", HARBOUR, "So [ref_id:1] and [ref_id:0]."),
    Made("ref id in code", "b", KNOWLEDGE_BASE, "Write `[ref_id:1]` there."),
    Made("an index from 0 where sources count from 0", "b", KNOWLEDGE_BASE, "Read items[0] and arr[1][2] first."),
    Made("other words with ids", "b", KNOWLEDGE_BASE, "So [row_id:1], [id:2] and [ref_idx:1]."),
    # Marks of OpenAI's models.
    Made("mark with a number", "b", SHOP, "Take it【3†source】.", ("3",), ("number",)),
    Made("mark with a place", "b", SHOP, "Take it【4:12†source】.", ("12",), ("number",)),
    Made("mark with a place from 0", "e", KNOWLEDGE_BASE, "So it is【4:0†source】【4:2†source】.", ("0", "2")),
    Made("mark with a name", "b", HARBOUR, "A lamp 【4:0†notes.txt】.", ("notes.txt",), ("exact",)),
    Made(
        "mark with a name in marks of emphasis",
        "b",
        HARBOUR,
        "Go *so*【2†Harbour_Rules.pdf】_slow_.",
        ("Harbour_Rules.pdf#page=2",),
    ),
    Made("mark with a name of a source by number", "b", SHOP, "A rope【3:0†Rope】.", ("12",), ("exact",)),
    Made("mark with lines", "b", SHOP, "Take it【3†L4-L9】.", ("3",)),
    Made("mark with a name and an id", "b", SHOP, "Take it【13†Elsewhere†40】.", ("40",)),
    Made("mark of a file by its name", "a", ANNOTATED, "So【4:0†Tide Tables.pdf】.", ("Tide Tables.pdf",)),
    Made("mark of a file by its id", "a", ANNOTATED, "So【4:1†file-8】.", ("file-8",)),
    Made("mark in square brackets", "b", SHOP, "Take it [3†source].", ("3",)),
    Made("number in a heavy bracket", "b", SHOP, "灯【3】和锚【40】。", ("3", "40")),
    Made("wide number in a heavy bracket", "b", SHOP, "灯【３】。", ("3",)),
    Made("numbers in a heavy bracket", "b", SHOP, "都要【3、12】。", ("3", "12")),
    Made("name in a heavy bracket", "e", SCRIPTS, "です【港の手引き.pdf#page=4】。", ("港の手引き.pdf#page=4",)),
    Made("number in a wide bracket", "b", SHOP, "灯［3］。", ("3",)),
    Made("mark of a number that nothing has", "b", SHOP, "Take it【9†source】【4:1†source】."),
    Made("mark where sources go by name", "b", HARBOUR, "Take it【1†source】【4:0†source】【4:0†other.pdf】."),
    Made("heading in a heavy bracket", "b", SHOP, "【概要】灯と綱。【注意】【1】重い。"),
    Made("heavy bracket that stays open", "b", SHOP, "灯【3"),
    Made("mark in code", "b", SHOP, "Write `【3†source】` there."),
    Made("mark in the text of a link", "b", SHOP, "[it 【3†source】](https://n.example)"),
    Made("a dagger", "b", SHOP, "Nelson† and [†] and 【†】 and [a†b]."),
    Made("mark in an HTML table", "b", SHOP, "<table><tr><td>It【3†source】</td><td>【x】</td></tr></table>", ("3",)),
    Made("mark in an attribute", "b", SHOP, "<span title='【3†source】'>It</span><div title='(Source: Rope)'>is</div>"),
    # Marks of ChatGPT.
    Made(
        "mark of a search", "b", FOUND, "High at six\ue200cite\ue202turn0search1\ue201.", ("turn0search1",), ("exact",)
    ),
    Made(
        "mark of two searches",
        "e",
        FOUND,
        "So it is \ue200cite\ue202turn0search1\ue202turn0file3\ue201.",
        ("turn0search1", "turn0file3"),
    ),
    Made(
        "mark of ChatGPT of a file by its name",
        "b",
        HARBOUR,
        "A lamp \ue200filecite\ue202notes.txt\ue202L1-L2\ue201.",
        ("notes.txt",),
    ),
    Made("mark with words", "b", FOUND, "See \ue200url\ue202the tides\ue202turn0search1\ue201.", ("turn0search1",)),
    Made("mark of what is not there", "b", FOUND, "So \ue200cite\ue202turn9view9\ue202turn9view8\ue201 it is."),
    Made(
        "mark of a file that is not there",
        "b",
        FOUND,
        "So \ue200filecite\ue202ghost.pdf\ue201.",
        (None,),
        ("not found",),
    ),
    Made("mark of ChatGPT in code", "b", FOUND, "So `\ue200cite\ue202turn0search1\ue201`."),
    # Marks of Gemini.
    Made("cite", "b", SHOP, "Burns [cite: 3]. Both[cite: 3, 12].", ("3", "3", "12")),
    Made("range of cite", "b", PAGES, "Calm [cite: 1-3].", ("1", "2", "3")),
    Made("cite of a name", "b", HARBOUR, "A lamp [cite: notes.txt].", ("notes.txt",)),
    Made("cite_start", "b", SHOP, "[cite_start]It burns.[cite: 3] [cite_start]It floats.[cite: 12]", ("3", "12")),
    Made("cite where sources go by name", "b", HARBOUR, "So [cite: 1]."),
    # Elements that cite.
    Made("cite element", "b", SHOP, "Burns <cite>3</cite>. Both <cite>3, 12</cite>.", ("3", "3", "12")),
    Made("cite element of a name", "b", HARBOUR, "A *lamp* <cite>notes.txt</cite>.", ("notes.txt",)),
    Made("cite element without text", "b", SHOP, 'Burns <cite id="3"/> and <cite source="12"></cite>.', ("3", "12")),
    Made("cite element of a title", "b", SHOP, 'In <cite>Moby Dick</cite>, <cite index="3">it floats</cite>.'),
    # Footnotes without a definition.
    Made(
        "footnote's sign",
        "b",
        SHOP,
        "It burns.[^3] It floats[^12], and sinks.[^40]",
        ("3", "12", "40"),
        ("number",) * 3,
    ),
    Made("footnote's sign after a short word", "b", SHOP, "It is dry[^3].", ("3",)),
    Made("footnote's sign in Arabic figures", "b", SHOP, "يحترق طوال الليل[^٣].", ("3",)),
    Made("footnote's sign of a number that nothing has", "b", SHOP, "It burns.[^9]"),
    Made("footnote's sign where sources go by name", "b", HARBOUR, "It burns.[^1]"),
    Made("one footnote with a definition and one without", "b", SHOP, "A.[^3] B.[^12]\n\n[^3]: All night.", ("12",)),
    Made("not these characters", "b", SHOP, "In [^3-9] and [^0-9] and [^3a]."),
    Made("an index from the end", "b", SHOP, "In C# take items[^3], or x[^12]."),
    # Ranges, and other signs and words.
    Made("range", "b", PAGES, "It is calm [1-3].", ("1", "2", "3"), ("number",) * 3),
    Made("range with an en dash", "b", PAGES, "It is calm [2–4].", ("2", "3", "4")),
    Made("range in a list", "b", PAGES, "It is calm [1, 3-4].", ("1", "3", "4")),
    Made("range right after a word", "b", PAGES, "It is always calm[1-2].", ("1", "2")),
    Made("range in a heavy bracket", "b", PAGES, "海は静か【1-2】。", ("1", "2")),
    Made("range that ends beyond the sources", "b", PAGES, "Count [3-6] and [1-9] and [0-2]."),
    Made("range that goes down", "b", PAGES, "Count [3-1] or [2-2]."),
    Made("range with gaps", "b", SHOP, "Count [3-12]."),
    Made("range of years or where sources go by name", "b", HARBOUR, "In [2019-2021], [1-2]."),
    Made("slice", "b", PAGES, "Take arr[1-2], line_[2-3] and x[1-3]."),
    Made("number with a sign", "b", SHOP, "Burns [#3] long [#12].", ("3", "12"), ("number", "number")),
    Made("issue", "b", SHOP, "Fixed in [#41] and [#7]."),
    Made("number with a sign where sources go by name", "b", HARBOUR, "Fixed in [#1]."),
    Made("word citation", "b", SHOP, "Burns [citation:3] long[citation:12].", ("3", "12")),
    Made("word citation side by side", "e", SHOP, "Burns [citation:3][citation:40].", ("3", "40")),
    Made("word citation that nothing has", "b", SHOP, "Burns [citation:9].", (None,)),
    Made("word citation of a UUID", "b", NODES, f"Calm [citation:{TIDES}], foggy[citation: {FOG}].", (TIDES, FOG)),
    Made("word citation of UUIDs in a list", "b", NODES, f"Calm [citation:{TIDES}, citation:{FOG}].", (TIDES, FOG)),
    Made("word citation of UUIDs side by side", "e", NODES, f"Calm [citation:{FOG}][citation:{TIDES}].", (FOG, TIDES)),
    Made("word citation of a UUID that nothing has", "b", NODES, f"Calm [citation:{TIDES[:-1]}0].", (None,)),
    Made("word citation of a UUID in capitals", "b", NODES, f"Calm [Citation:{TIDES.upper()}].", (TIDES,)),
    Made(
        "word citation of a UUID twice", "b", NODES, f"Calm [citation:{TIDES}]. So [citation:{TIDES}].", (TIDES, TIDES)
    ),
    Made("word citation of a UUID in code", "b", NODES, f"Write `[citation:{TIDES}]` here."),
    Made("word citation of what is no UUID", "b", NODES, f"See [citation:{TIDES[:-1]}] and [citation: see below]."),
    Made("UUID that nothing has", "b", NODES, f"The request [{TIDES[:-1]}0] failed."),
    Made("citation needed", "b", SHOP, "Burns [citation needed] [citation]."),
    # Links around a number.
    Made("link around a number", "b", PAGES, "Calm [[1]](https://sea.example/tides).", ("1",), ("number",)),
    Made(
        "links side by side",
        "b",
        PAGES,
        "Calm [[1]](https://sea.example/tides)[[3]](<https://sea.example/fog>).",
        ("1", "3"),
    ),
    Made(
        "link with brackets in it and a title", "b", PAGES, 'So [[2]](https://sea.example/wind_(west) "Wind").', ("2",)
    ),
    Made("link around a number that no source has", "b", WEB, "Calm [[7]](https://sea.example/today).", ("w1",)),
    Made("link around a number of pages in order", "a", ADDRESSES, "Fog [[2]](https://sea.example/fog).", ("2",)),
    Made("link around a number that leads elsewhere", "b", PAGES, "So [[1]](https://rain.example) is."),
    Made("link around the number of another source", "b", PAGES, "So [[1]](https://sea.example/fog) is."),
    Made("link around a word", "b", PAGES, "So [[Tides]](https://sea.example/tides) is.", ("1",)),
    Made("link around a bare number", "b", PAGES, "So [1](https://sea.example/tides) is.", ("1",), ("number",)),
    Made("link with words", "b", WEB, "The sea [is calm](https://sea.example/today 'Today').", ("w1",)),
    Made("link that is cited after it", "b", WEB, "([sea](https://sea.example/today)) [w1]", ("w1",)),
    Made(
        "link to a document", "b", HARBOUR, "See [the rules](Harbour_Rules.pdf#page=7).", ("Harbour_Rules.pdf#page=7",)
    ),
    Made("link of a name to its page", "b", HARBOUR, "[Rules.pdf](Rules.pdf#page=1) say.", ("Rules.pdf#page=1",)),
    Made(
        "number that leads to a document",
        "b",
        HARBOUR,
        "Go [1](notes.txt)[[2]](Rules.pdf).",
        ("notes.txt", "Rules.pdf#page=1"),
    ),
    Made("link with spaces", "b", HARBOUR, "At [six](Tide Tables 2026.csv).", ("Tide Tables 2026.csv",)),
    Made("encoded link", "b", HARBOUR, "At [six](Tide%20Tables%202026.csv).", ("Tide Tables 2026.csv",)),
    Made(
        "link with a path",
        "b",
        HARBOUR,
        "A [lamp](/content/notes.txt) [b](sandbox:/mnt/notes.txt).",
        ("notes.txt",) * 2,
    ),
    Made(
        "link to a figure",
        "b",
        DRAWINGS,
        "![chain](Mooring.pdf#page=8(figure8_1.png))",
        ("Mooring.pdf#page=8(figure8_1.png)",),
    ),
    Made("link to what is not there", "b", HARBOUR, "See [it](other.pdf), [b](https://n.example/notes.txt), [c](2)."),
    Made("link in code", "b", HARBOUR, "Write `[it](notes.txt)` or \\[it](notes.txt)."),
    # A source in round brackets.
    Made("source in round brackets", "b", HARBOUR, "A lamp (Source: notes.txt).", ("notes.txt",), ("exact",)),
    Made(
        "sources in round brackets",
        "b",
        HARBOUR,
        "So (Sources: notes.txt, Österhamn.md).",
        ("notes.txt", "Österhamn.md"),
    ),
    Made(
        "source with marks of emphasis",
        "b",
        HARBOUR,
        "So (source: Harbour_Rules.pdf#page=7) _is_ it.",
        ("Harbour_Rules.pdf#page=7",),
    ),
    Made("source in bold", "b", HARBOUR, "So (**Source:** notes.txt).", ("notes.txt",)),
    Made(
        "source with a page in words",
        "b",
        HARBOUR,
        "So (Source: Harbour_Rules.pdf, page 7).",
        ("Harbour_Rules.pdf#page=7",),
    ),
    Made(
        "source with round brackets",
        "b",
        SHELF,
        "New (Source: Logbook (1954).pdf#page=12).",
        ("Logbook (1954).pdf#page=12",),
    ),
    Made("source in wide brackets", "b", HARBOUR, "限速四节（来源：港口手册.pdf#page=3）。", ("港口手册.pdf#page=3",)),
    Made("source in Arabic", "b", SCRIPTS, "أربع عقد (المصدر: دليل الميناء.pdf#page=2).", ("دليل الميناء.pdf#page=2",)),
    Made("source that is an address", "e", WEB, "Calm (Source: https://sea.example/today).", ("w1",)),
    Made("source in square brackets in round ones", "b", HARBOUR, "So (Source: [notes.txt]).", ("notes.txt",)),
    Made(
        "source in an HTML table",
        "b",
        HARBOUR,
        "<table><tr><td>It (Source: notes.txt)</td><td><code>(Source: notes.txt)</code></td></tr></table>",
        ("notes.txt",),
    ),
    Made("source that is not there", "b", HARBOUR, "So (Source: Wikipedia) and (Source: other.pdf, notes.txt)."),
    Made("name in round brackets", "b", HARBOUR, "So (notes.txt) and (see notes.txt) and (Sourced from notes.txt)."),
    Made("source without a colon", "b", HARBOUR, "So (source notes.txt) and (open source: yes)."),
    Made("source in code", "b", HARBOUR, "Write `(Source: notes.txt)` or (Source: `notes.txt`)."),
    # Raised numbers.
    Made("raised number", "b", SHOP, "It burns^[3]^ and floats ^[12]^.", ("3", "12"), ("number", "number")),
    Made("raised numbers", "b", SHOP, "It burns.^[3, 40]^", ("3", "40")),
    Made("raised name", "b", HARBOUR, "A lamp^[notes.txt]^.", ("notes.txt",)),
    Made("raised number in HTML", "b", SHOP, "<p>It burns^[3]^ and [12].</p>", ("3", "12")),
    Made("powers", "b", SHOP, "2^3^ and 2^(3)^ and x^[n]^ and a^[k"),
    # Brackets after code, and after words that only look like it.
    Made("results of code", "b", SHOP, "In code, result[3] and array [12], items[40], arr[3][12] differ."),
    Made(
        "names of variables", "b", SHOP, "Then token[3], my_list[12], self.rows[3], userNames[40] and argv [3] differ."
    ),
    Made("a variable with an article", "b", SHOP, "Read the variable result[3] or the list [12].", ("12",)),
    Made(
        "words after an article", "b", SHOP, "As a result[3], the final result[12] is an array [40].", ("3", "12", "40")
    ),
    Made("words in the plural", "b", SHOP, "It shows good results[3] in Paris[12].", ("3", "12")),
    Made("a name at the beginning", "b", SHOP, "Paris[3] is large.", ("3",)),
)
