"""The blocks of a mail: of RFC 5322, or a message of Outlook ([MS-OXMSG]).

Its subject is a heading above a table of its names and date. The names of attachments are last. The body is the text,
else the HTML. Nothing of its web addresses is fetched.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from io import BytesIO
from typing import Final

import olefile

from chat_ui.features.office.html_text import html_blocks
from chat_ui.features.office.text_blocks import Block, paragraphs, row_block
from chat_ui.languages.translation import gettext
from chat_ui.rendering.panels.document_text import decoded

_PROPERTIES: Final = {"subject": "0037", "from": "0C1A", "to": "0E04", "cc": "0E03"}
_HEADERS, _TEXT, _HTML = "007D", "1000", "1013"
_ATTACHED: Final = ("3707", "3704", "3001")
"""Tags of properties ([MS-OXPROPS]); of attachments, the long name, the short one and the shown one."""
_SENT: Final = (0x0039_0040, 0x0E06_0040)
_CODE_PAGES: Final = (0x3FDE_0003, 0x3FFD_0003)
"""Tags and types of the numbers for the times of a message, and for the code pages of its body and its texts."""
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)


def read_mail(data: bytes) -> list[Block]:
    """The blocks of a mail. Raises `UNREADABLE` errors."""
    if data.startswith(olefile.MAGIC):
        return [*_Message(data).blocks()]
    mail = message_from_bytes(data, _class=EmailMessage, policy=policy.default)
    bodies = filter(None, (mail.get_body((kind,)) for kind in ("plain", "html")))
    body = next(filter(None, (_body(part) for part in bodies if not part.get_filename())), [])
    names = (part.get_filename("") for part in mail.walk() if not part.is_multipart() or part.is_attachment())
    return [*_blocks(_fields(mail), body, names)]


def _body(part: MIMEPart) -> list[Block]:
    content, charset = bytes(part.get_payload(decode=True)), part.get_content_charset("")
    if part.get_content_subtype() == "html":
        return html_blocks(decoded(content, "html", charset).text)
    return [*paragraphs(decoded(content, "text", charset).text)]


def _fields(mail: EmailMessage) -> dict[str, str]:
    """The names and the date of a mail, by the names of its headers."""
    fields = {name: str(mail[name]) for name in ("subject", "from", "to", "cc", "date") if mail[name]}
    if "date" in fields and (sent := mail["date"].datetime):
        fields["date"] = sent.isoformat(" ", "minutes")
    return fields


def _blocks(fields: Mapping[str, str], body: Iterable[Block], attached: Iterable[str]) -> Iterator[Block]:
    labels = {"from": gettext("From"), "to": gettext("To"), "cc": gettext("Cc"), "date": gettext("Date")}
    yield from paragraphs(fields.get("subject", ""), "heading", 1)
    for name, label in labels.items():
        if value := " ".join(fields.get(name, "").split()):
            yield row_block((label, value), 0)
    yield from body
    if names := [*filter(None, attached)]:
        yield Block(gettext("Attached files"), "heading", 2)
        for name in names:
            yield from paragraphs(name, "item")


class _Message:
    """A message of Outlook, whose properties are the streams of an OLE file."""

    def __init__(self, data: bytes) -> None:
        self._file = olefile.OleFileIO(BytesIO(data))
        # After 32 bytes of head, a property has its tag and type, four bytes of flags, and its value in eight bytes.
        listed = self._file.openstream("__properties_version1.0").read()[32:]
        self._numbers = {tag: value for tag, _, value in struct.iter_unpack("<IIQ", listed[: len(listed) // 16 * 16])}

    def blocks(self) -> Iterator[Block]:
        found = {name: self._text(tag) for name, tag in _PROPERTIES.items()}
        if time := next(filter(None, map(self._numbers.get, _SENT)), 0):
            found["date"] = (_EPOCH + timedelta(microseconds=time // 10)).isoformat(" ", "minutes")
        headers = message_from_bytes(self._text(_HEADERS).encode(), _class=EmailMessage, policy=policy.default)
        folders = dict.fromkeys(path[0] for path in self._file.listdir() if path[0].startswith("__attach_"))
        names = (next(filter(None, (self._text(tag, f"{folder}/") for tag in _ATTACHED)), "") for folder in folders)
        body = [*paragraphs(self._text(_TEXT))] or html_blocks(self._text(_HTML))
        return _blocks(found | _fields(headers), body, names)

    def _stream(self, name: str, folder: str = "") -> bytes:
        path = f"{folder}__substg1.0_{name}"
        return self._file.openstream(path).read() if self._file.exists(path) else b""

    def _text(self, tag: str, folder: str = "") -> str:
        """A property in Unicode, else in the code page of the message, or of its HTML if it is binary."""
        if data := self._stream(f"{tag}001F", folder):
            return data.decode("utf-16-le", "replace").rstrip("\0")
        data = self._stream(f"{tag}001E", folder) or self._stream(f"{tag}0102", folder)
        page, other = (self._numbers.get(one, 0) for one in (_CODE_PAGES if tag == _HTML else reversed(_CODE_PAGES)))
        return decoded(data.rstrip(b"\0"), "html" if tag == _HTML else "text", f"cp{page or other}").text
