"""Word documents made for tests."""

import zipfile
from collections.abc import Mapping
from html import escape
from io import BytesIO

NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
MAIN = "word/document.xml"


def relations(*listed: tuple[str, str, str]) -> str:
    """The relations with these kinds, targets and further attributes."""
    each = (
        f'<Relationship Id="r{number}" Type="{KIND}{kind}" Target="{target}"{more}/>'
        for number, (kind, target, more) in enumerate(listed)
    )
    return f'<Relationships xmlns="{RELATIONS}">{"".join(each)}</Relationships>'


def parts(body: str, **more: str | bytes) -> dict[str, str | bytes]:
    """The parts of a document with this body."""
    return {
        "_rels/.rels": relations(("officeDocument", MAIN, "")),
        MAIN: f'<w:document xmlns:w="{NAMESPACE}"><w:body>{body}</w:body></w:document>',
        **more,
    }


def zipped(content: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return file.getvalue()


def docx(body: str, **more: str | bytes) -> bytes:
    """A document with this body; further parts are given by their names in `word`."""
    listed = [(name, f"{name}.xml", "") for name in more]
    rels = {"word/_rels/document.xml.rels": relations(*listed)} if listed else {}
    named = {f"word/{name}.xml": data for name, data in more.items()}
    return zipped(parts(body, **rels, **named))


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    """A table of cells with one paragraph each."""
    lines = "".join(f"<w:tr>{''.join(f'<w:tc>{paragraph(cell)}</w:tc>' for cell in row)}</w:tr>" for row in rows)
    return f"<w:tbl>{lines}</w:tbl>"
