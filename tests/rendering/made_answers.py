"""A set of made answers, with the sources that their brackets cite."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import render_answer
from tests.protocol.asking import fold
from tests.stand_ins.stand_in import lines


@dataclass(frozen=True)
class Made:
    """An answer and the targets of its brackets, in order: ids of data points, or None for a missing one."""

    context: Mapping[str, Any]
    text: str
    cites: tuple[str | None, ...]
    by: str
    """The rule of each match, if it matters."""


def made(context: Mapping[str, Any], text: str, *cites: str | None, by: str = "") -> Made:
    return Made(context, text, cites, by)


def answered(made: Made) -> Answer:
    return fold(lines({"delta": {"role": "assistant"}, "context": made.context}, {"delta": {"content": made.text}}))


def cited(made: Made) -> list[tuple[str | None, str]]:
    """The matches of the answer's brackets and their rules, in order."""
    answer = answered(made)
    rendered = render_answer(answer.text, answer.data_points)
    by_number = {citation.number: citation for citation in rendered.citations}
    found = [by_number[use.number] for use in rendered.uses]
    return [(None if one.data_point is None else answer.data_points[one.data_point].id, one.rule) for one in found]


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
NAMES = {3: "Storm lantern", 12: "Rope", 40: "Anchor"}
SHOP = {"data_points": {str(number): {"id": number, "name": name} for number, name in NAMES.items()}}
SHOP_LIST = {"data_points": [{"id": "7", "content": "Ash wood."}, {"id": "8", "content": "Red."}]}
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
        {"content": "Guests pay daily.", "filepath": "guests.md", "url": {"url": "https://port.example/g"}},
        {"content": "Fishing boats pay half.", "title": "Fishing", "filepath": "null", "url": "https://port.example/f"},
    ]
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
COMMAS = text("oars, sails and ropes.txt: A chapter.", "oars.txt: Another.", "ropes.txt: A third.")
TWICE = text("log.txt: Monday was calm.", "log.txt: Tuesday was not.")
LONG = [
    f"Minutes of the harbour council, {month} {year}.pdf" for month in ("May", "June") for year in range(1954, 1958)
]
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
SEA = {"Tides": "tides", "Wind": "wind_(west)", "Fog": "fog", "Ice": "ice"}
PAGES = {
    "data_points": [
        {"id": str(number), "title": title, "url": f"https://sea.example/{page}", "content": "So it is."}
        for number, (title, page) in enumerate(SEA.items(), 1)
    ]
}
ADDRESSES = {"citations": ["https://sea.example/tides", "https://sea.example/fog"]}
ANNOTATED = {
    "annotations": [
        {"type": "file_citation", "file_citation": {"file_id": "file-7", "file_name": "Tide Tables.pdf"}},
        {"type": "file_citation", "file_citation": {"file_id": "file-8"}},
    ]
}

FOUND = {"data_points": [{"id": "turn0search1", "content": "At six."}, {"id": "turn0file3", "content": "At dawn."}]}

MADE = (
    # The exact name.
    made(PLAIN_LIST, "[ship.pdf#page=1], then [ship.pdf#page=4].", "ship.pdf#page=1", "ship.pdf#page=4"),
    made(COMMAS, "Read [oars, sails and ropes.txt].", "oars, sails and ropes.txt", by="exact"),
    # Without the page or the figure on either side.
    made(LOOSE_FIGURE, "Drawn [Mooring.pdf#page=8(figure8_1.png)].", "figure8_1.png", by="figure"),
    # By number.
    made(SHOP_LIST, "An oar [7] and a sail [8].", "7", "8"),
    made(SHOP, "Take it [3].\n\n[3]: Lantern\n[12]: Rope.pdf", "3", "3", "12"),
    # `[doc1]` counts the citations of On Your Data.
    made(OWN_DATA, "Monthly [doc1].", "doc1", by="number"),
    made(OWN_DATA, "Both [doc1][doc3].", "doc1", "doc3"),
    made(OWN_DATA, "Both [doc2, doc3].", "doc2", "doc3"),
    made(OWN_DATA, "Daily [doc2].", "doc2", by="number"),
    made(OWN_DATA, "Monthly [fees.pdf].", "doc1"), made(OWN_DATA, "Half [Doc3].", "doc3"),
    made(OWN_DATA, "Guests pay daily[doc2].", "doc2"),
    # Web addresses.
    made(WEB, "Calm [https://sea.example/today].", "w1"),
    made(WEB, "Wind [https://sea.example/forecast?days=3].", "w2"),
    # In any place of text.
    made(HARBOUR, "A lamp [see [notes.txt]].", "notes.txt"),
    made(HARBOUR, "A lamp [notes.txt] and [a rope", "notes.txt"),
    made(HARBOUR, "[notes.txt]: yes\n\nAgain [notes.txt].", "notes.txt", "notes.txt"),
    made(TWICE, "Calm [log.txt].", "log.txt"),
    # Names with characters of brackets and addresses.
    made(SHELF, "New [Logbook (1954).pdf#page=12].", "Logbook (1954).pdf#page=12"),
    made(SHELF, "Not new [Logbook%20%281954%29.pdf#page=14].", "Logbook (1954).pdf#page=14"),
    made(SHELF, "Not new [Logbook+(1954).pdf#page=14].", "Logbook (1954).pdf#page=14"),
    made(SHELF, "The hull [Plans [final].pdf#page=1].", "Plans [final].pdf#page=1"),
    made(SHELF, "Six [Crew & Cargo v1.2.docx].", "Crew & Cargo v1.2.docx", by="exact"),
    made(SHELF, "Six [Crew &amp; Cargo v1.2.docx].", "Crew & Cargo v1.2.docx"),
    made(SHELF, "Slow [50% less wind.txt].", "50% less wind.txt", by="exact"),
    made(SHELF, "Slow [50%25%20less%20wind.txt].", "50% less wind.txt", by="name"),
    made(SHELF, "Forty [Register.pdf#page=2].", "archive/old ships/Register.pdf#page=2"),
    made(SHELF, "Colza [Lamp Oil.docx].", "https://files.example/Shared%20Docs/Lamp%20Oil.docx"),
    made(SHELF, "Colza [https://files.example/Shared Docs/Lamp Oil.docx].",
         "https://files.example/Shared%20Docs/Lamp%20Oil.docx"),
    made(SCRIPTS, "Да [руководство.DOCX].", "Руководство.docx", by="name"),
    made(SCRIPTS, "نعم [\u200fدليل الميناء.pdf#page=2\u200f].", "دليل الميناء.pdf#page=2"),
    made(SCRIPTS, "です[港の手引き.pdf＃page=4]。", "港の手引き.pdf#page=4", by="name"),
    # Pages in other notations.
    made(HARBOUR, "So [Harbour_Rules.pdf#page=2, #page=7].", "Harbour_Rules.pdf#page=2", "Harbour_Rules.pdf#page=7"),
    made(HARBOUR, "So [Harbour_Rules.pdf#page=6-8].", "Harbour_Rules.pdf#page=7", by="page"),
    made(FIGURES, "So [rig_2.png].", "Rig.pdf#page=8(rig_2.png)", by="figure"),
    made(FIGURES, "So [Rig.pdf#page=8(rig_2.png)].", "Rig.pdf#page=8(rig_2.png)"),
    # Lists.
    made(HARBOUR, "So [notes.txt, ].", "notes.txt"),
    made(HARBOUR, 'So ["notes.txt", "Österhamn.md"].', "notes.txt", "Österhamn.md"),
    made(HARBOUR, "So [Sources: notes.txt, Österhamn.md].", "notes.txt", "Österhamn.md"),
    made(COMMAS, "So [oars.txt, oars, sails and ropes.txt].", "oars.txt", "oars, sails and ropes.txt"),
    made(HARBOUR, "So [notes.txt, NOTES.txt].", "notes.txt"), made(HARBOUR, "So [one.pdf, two.docx].", None, None),
    made({"data_points": {"text": [f"{name}: Words." for name in LONG]}}, f"So [{', '.join(LONG)}].", *LONG),
    made(HARBOUR, "So [_notes.txt_].", "notes.txt"), made(SHOP, "Burns [Source 3] long [source: 12].", "3", "12"),
    made(WEB, "Calm [<https://sea.example/today>].", "w1"),
    made(WEB, "Calm [http://sea.example/today].", "w1", by="name"),
    # In places of text.
    made(HARBOUR, "<details><summary>Lamps [notes.txt]</summary>\n\nOne.\n\n</details>", "notes.txt"),
    made(HARBOUR, "A lamp.[^a]\n\n[^a]: Says [notes.txt].", "notes.txt"), made(SHOP, "Burns long<sup>[3]</sup>.", "3"),
    made(SHOP, "It costs $25[3].", "3"), made(SHOP, "It burns long ([3]).", "3"),
    # Not citations, though a source is near.
    made(SHELF, 'Read config["lamp.json"] first.'),
    made(HARBOUR, "[your name] [TODO] [Y/n] [N/A] [kg/m^3] [e.g. this] [1.0.0] [a-z] [@user] [#tag]"),
    made(HARBOUR, "It is so. <!-- [notes.txt] -->", "notes.txt"),
    # References of Azure AI Search's knowledge bases: their ids, from 0 on.
    made(KNOWLEDGE_BASE, "Four knots [ref_id:0].", "0", by="number"),
    made(KNOWLEDGE_BASE, "Both [ref_id:2][ref_id:0].", "2", "0"),
    made(KNOWLEDGE_BASE, "Both [ref_id: 1, 2].", "1", "2"), made(KNOWLEDGE_BASE, "It is so[ref_id:1].", "1"),
    made(KNOWLEDGE_BASE, "So [ref_id:9].", None, by="not found"), made(HARBOUR, "So [ref_id:1] and [ref_id:0]."),
    made(KNOWLEDGE_BASE, "Read items[0] and arr[1][2] first."),
    made(KNOWLEDGE_BASE, "So [row_id:1], [id:2] and [ref_idx:1]."),
    # Marks of OpenAI's models.
    made(SHOP, "Take it【3†source】.", "3", by="number"), made(SHOP, "Take it【4:12†source】.", "12", by="number"),
    made(KNOWLEDGE_BASE, "So it is【4:0†source】【4:2†source】.", "0", "2"),
    made(HARBOUR, "A lamp 【4:0†notes.txt】.", "notes.txt", by="exact"),
    made(HARBOUR, "Go *so*【2†Harbour_Rules.pdf】_slow_.", "Harbour_Rules.pdf#page=2"),
    made(SHOP, "A rope【3:0†Rope】.", "12", by="exact"), made(SHOP, "Take it【3†L4-L9】.", "3"),
    made(SHOP, "Take it【13†Elsewhere†40】.", "40"),
    made(ANNOTATED, "So【4:0†Tide Tables.pdf】.", "Tide Tables.pdf"),
    made(ANNOTATED, "So【4:1†file-8】.", "file-8"), made(SHOP, "Take it [3†source].", "3"),
    made(SHOP, "灯【3】和锚【40】。", "3", "40"), made(SHOP, "灯【３】。", "3"),
    made(SHOP, "都要【3、12】。", "3", "12"),
    made(SCRIPTS, "です【港の手引き.pdf#page=4】。", "港の手引き.pdf#page=4"),
    made(SHOP, "灯［3］。", "3"), made(SHOP, "Take it【9†source】【4:1†source】."),
    made(HARBOUR, "Take it【1†source】【4:0†source】【4:0†other.pdf】."),
    made(SHOP, "【概要】灯と綱。【注意】【1】重い。"), made(SHOP, "灯【3"), made(SHOP, "Write `【3†source】` there."),
    made(SHOP, "[it 【3†source】](https://n.example)"), made(SHOP, "Nelson† and [†] and 【†】 and [a†b]."),
    made(SHOP, "<table><tr><td>It【3†source】</td><td>【x】</td></tr></table>", "3"),
    made(SHOP, "<span title='【3†source】'>It</span><div title='(Source: Rope)'>is</div>"),
    # Marks of ChatGPT.
    made(FOUND, "High at six\ue200cite\ue202turn0search1\ue201.", "turn0search1", by="exact"),
    made(FOUND, "So it is \ue200cite\ue202turn0search1\ue202turn0file3\ue201.",
         "turn0search1", "turn0file3"),
    made(HARBOUR, "A lamp \ue200filecite\ue202notes.txt\ue202L1-L2\ue201.", "notes.txt"),
    made(FOUND, "See \ue200url\ue202the tides\ue202turn0search1\ue201.", "turn0search1"),
    made(FOUND, "So \ue200cite\ue202turn9view9\ue202turn9view8\ue201 it is."),
    made(FOUND, "So \ue200filecite\ue202ghost.pdf\ue201.", None, by="not found"),
    made(FOUND, "So `\ue200cite\ue202turn0search1\ue201`."),
    # Marks of Gemini.
    made(SHOP, "Burns [cite: 3]. Both[cite: 3, 12].", "3", "3", "12"), made(PAGES, "Calm [cite: 1-3].", "1", "2", "3"),
    made(HARBOUR, "A lamp [cite: notes.txt].", "notes.txt"),
    made(SHOP, "[cite_start]It burns.[cite: 3] [cite_start]It floats.[cite: 12]", "3", "12"),
    made(HARBOUR, "So [cite: 1]."),
    # Elements that cite.
    made(SHOP, "Burns <cite>3</cite>. Both <cite>3, 12</cite>.", "3", "3", "12"),
    made(HARBOUR, "A *lamp* <cite>notes.txt</cite>.", "notes.txt"),
    made(SHOP, 'Burns <cite id="3"/> and <cite source="12"></cite>.', "3", "12"),
    made(SHOP, 'In <cite>Moby Dick</cite>, <cite index="3">it floats</cite>.'),
    # Footnotes without a definition.
    made(SHOP, "It burns.[^3] It floats[^12], and sinks.[^40]", "3", "12", "40", by="number"),
    made(SHOP, "It is dry[^3].", "3"), made(SHOP, "يحترق طوال الليل[^٣].", "3"), made(SHOP, "It burns.[^9]"),
    made(HARBOUR, "It burns.[^1]"), made(SHOP, "A.[^3] B.[^12]\n\n[^3]: All night.", "12"),
    made(SHOP, "In [^3-9] and [^0-9] and [^3a]."), made(SHOP, "In C# take items[^3], or x[^12]."),
    # Ranges, and other signs and words.
    made(PAGES, "It is calm [1-3].", "1", "2", "3", by="number"), made(PAGES, "It is calm [2–4].", "2", "3", "4"),
    made(PAGES, "It is calm [1, 3-4].", "1", "3", "4"), made(PAGES, "It is always calm[1-2].", "1", "2"),
    made(PAGES, "海は静か【1-2】。", "1", "2"), made(PAGES, "Count [3-6] and [1-9] and [0-2]."),
    made(PAGES, "Count [3-1] or [2-2]."), made(SHOP, "Count [3-12]."), made(HARBOUR, "In [2019-2021], [1-2]."),
    made(PAGES, "Take arr[1-2], line_[2-3] and x[1-3]."), made(SHOP, "Burns [#3] long [#12].", "3", "12", by="number"),
    made(SHOP, "Fixed in [#41] and [#7]."), made(HARBOUR, "Fixed in [#1]."),
    made(SHOP, "Burns [citation:3] long[citation:12].", "3", "12"), made(SHOP, "Burns [citation:9].", None),
    made(NODES, f"Calm [citation:{TIDES}], foggy[citation: {FOG}].", TIDES, FOG),
    made(NODES, f"Calm [citation:{TIDES}, citation:{FOG}].", TIDES, FOG),
    made(NODES, f"Calm [citation:{TIDES[:-1]}0].", None), made(NODES, f"Calm [Citation:{TIDES.upper()}].", TIDES),
    made(NODES, f"See [citation:{TIDES[:-1]}] and [citation: see below]."),
    made(NODES, f"The request [{TIDES[:-1]}0] failed."), made(SHOP, "Burns [citation needed] [citation]."),
    # Links around a number.
    made(PAGES, "Calm [[1]](https://sea.example/tides).", "1", by="number"),
    made(PAGES, "Calm [[1]](https://sea.example/tides)[[3]](<https://sea.example/fog>).", "1", "3"),
    made(PAGES, 'So [[2]](https://sea.example/wind_(west) "Wind").', "2"),
    made(WEB, "Calm [[7]](https://sea.example/today).", "w1"),
    made(ADDRESSES, "Fog [[2]](https://sea.example/fog).", "2"),
    made(PAGES, "So [[1]](https://rain.example) is."), made(PAGES, "So [[1]](https://sea.example/fog) is."),
    made(PAGES, "So [[Tides]](https://sea.example/tides) is.", "1"),
    made(PAGES, "So [1](https://sea.example/tides) is.", "1", by="number"),
    made(WEB, "The sea [is calm](https://sea.example/today 'Today').", "w1"),
    made(WEB, "([sea](https://sea.example/today)) [w1]", "w1"),
    made(HARBOUR, "See [the rules](Harbour_Rules.pdf#page=7).", "Harbour_Rules.pdf#page=7"),
    made(HARBOUR, "[Rules.pdf](Rules.pdf#page=1) say.", "Rules.pdf#page=1"),
    made(HARBOUR, "Go [1](notes.txt)[[2]](Rules.pdf).", "notes.txt", "Rules.pdf#page=1"),
    made(HARBOUR, "At [six](Tide Tables 2026.csv).", "Tide Tables 2026.csv"),
    made(HARBOUR, "At [six](Tide%20Tables%202026.csv).", "Tide Tables 2026.csv"),
    made(HARBOUR, "A [lamp](/content/notes.txt) [b](sandbox:/mnt/notes.txt).", *(("notes.txt",) * 2)),
    made(DRAWINGS, "![chain](Mooring.pdf#page=8(figure8_1.png))", "Mooring.pdf#page=8(figure8_1.png)"),
    made(HARBOUR, "See [it](other.pdf), [b](https://n.example/notes.txt), [c](2)."),
    made(HARBOUR, "Write `[it](notes.txt)` or \\[it](notes.txt)."),
    # A source in round brackets.
    made(HARBOUR, "A lamp (Source: notes.txt).", "notes.txt", by="exact"),
    made(HARBOUR, "So (Sources: notes.txt, Österhamn.md).", "notes.txt", "Österhamn.md"),
    made(HARBOUR, "So (source: Harbour_Rules.pdf#page=7) _is_ it.", "Harbour_Rules.pdf#page=7"),
    made(HARBOUR, "So (**Source:** notes.txt).", "notes.txt"),
    made(HARBOUR, "So (Source: Harbour_Rules.pdf, page 7).", "Harbour_Rules.pdf#page=7"),
    made(SHELF, "New (Source: Logbook (1954).pdf#page=12).", "Logbook (1954).pdf#page=12"),
    made(HARBOUR, "限速四节（来源：港口手册.pdf#page=3）。", "港口手册.pdf#page=3"),
    made(SCRIPTS, "أربع عقد (المصدر: دليل الميناء.pdf#page=2).", "دليل الميناء.pdf#page=2"),
    made(WEB, "Calm (Source: https://sea.example/today).", "w1"),
    made(HARBOUR, "So (Source: [notes.txt]).", "notes.txt"),
    made(HARBOUR, "<table><tr><td>It (Source: notes.txt)</td><td><code>(Source: notes.txt)</code></td></tr></table>",
         "notes.txt"),
    made(HARBOUR, "So (Source: Wikipedia) and (Source: other.pdf, notes.txt)."),
    made(HARBOUR, "So (notes.txt) and (see notes.txt) and (Sourced from notes.txt)."),
    made(HARBOUR, "So (source notes.txt) and (open source: yes)."),
    made(HARBOUR, "Write `(Source: notes.txt)` or (Source: `notes.txt`)."),
    # Raised numbers.
    made(SHOP, "It burns^[3]^ and floats ^[12]^.", "3", "12", by="number"),
    made(SHOP, "It burns.^[3, 40]^", "3", "40"), made(HARBOUR, "A lamp^[notes.txt]^.", "notes.txt"),
    made(SHOP, "<p>It burns^[3]^ and [12].</p>", "3", "12"), made(SHOP, "2^3^ and 2^(3)^ and x^[n]^ and a^[k"),
)  # fmt: skip
