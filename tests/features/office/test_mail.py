from email.message import EmailMessage

import pytest

from chat_ui.features.office.mail import read_mail
from chat_ui.features.office.shown import shown_blocks
from chat_ui.features.office.text_blocks import Block
from chat_ui.rendering.panels.read_document import Wanted
from tests.features.office.mails import message
from tests.rendering.harmless import judged

HEADERS = {
    "Subject": "Buoys, März",
    "From": "Ann <ann@example.org>",
    "To": "Bo <bo@example.org>",
    "Cc": "c@example.org",
}
DATE = "Thu, 02 Apr 2026 09:30:00 +0200"
HTML = (
    "<title>no</title><style>p{}</style><p>Red <b>buoys</b><o:p></o:p><br>of the&nbsp;north</p>"
    "<div>Green<div>ones</div></div><ul><li>one<ul><li><p>deep</p></ul></ul><h2>Depths</h2>"
    "<table><tr><td><p>North</p></td><td>12&nbsp;m</td></tr></table>"
    '<table><tr><td></td><td><p>Layout</p><p>here</p></td></tr></table><img src="http://127.0.0.1:9/x.png">'
)
SHOWN = [
    Block("Red buoys\nof the north"), Block("Green"), Block("ones"), Block("one", "item", 0), Block("deep", "item", 1),
    Block("Depths", "heading", 2), Block("North 12 m", "row", 1, ("North", "12 m"), (1, 1)), Block("Layout"),
    Block("here"),
]  # fmt: skip


def mail(text: str = "", html: str = "", **headers: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in (headers or {**HEADERS, "Date": DATE}).items():
        made[name] = value
    made.set_content(text)
    if html:
        made.add_alternative(html, subtype="html")
    return made


def test_a_mail_has_its_subject_its_names_its_date_its_text_and_the_names_of_its_attachments():
    made = mail("Hello,\r\nBo.\r\n\r\n> Are they\r\n> red?\r\n", HTML)
    made.add_attachment(b"x", maintype="image", subtype="png", filename="Karte ä.png")
    assert read_mail(made.as_bytes()) == [
        Block("Buoys, März", "heading", 1),
        Block("From Ann <ann@example.org>", "row", 0, ("From", "Ann <ann@example.org>"), (1, 1)),
        Block("To Bo <bo@example.org>", "row", 0, ("To", "Bo <bo@example.org>"), (1, 1)),
        Block("Cc c@example.org", "row", 0, ("Cc", "c@example.org"), (1, 1)),
        Block("Date 2026-04-02 09:30+02:00", "row", 0, ("Date", "2026-04-02 09:30+02:00"), (1, 1)),
        Block("Hello,\nBo."),
        Block("> Are they\n> red?"),
        Block("Attached files", "heading", 2),
        Block("Karte ä.png", "item"),
    ]


def test_html_is_reduced_to_its_blocks():
    assert read_mail(mail("", HTML, Subject="s").as_bytes())[1:] == SHOWN


@pytest.mark.parametrize("charset", ["", "utf-8", "no-such", "koi8-r"])
def test_a_body_is_decoded_by_its_charset_else_by_its_bytes(charset: str):
    head = f"Content-Type: text/plain; charset={charset}\r\nDate: yesterday\r\n\r\n".encode()
    text = "Красный буй на севере, зелёный на юге."
    read = read_mail(head + text.encode("koi8-r" if charset == "koi8-r" else "utf-8"))
    assert [block.text for block in read] == ["Date yesterday", text]


def test_a_message_of_outlook_is_read_by_its_properties_and_its_headers():
    sent = 134_195_886_000_000_000
    plain = message(
        {0x0039_0040: sent, 0x3FFD_0003: 950},
        **{
            "0037001E": "測試".encode("cp950"),
            "0C1A001F": "安".encode("utf-16-le"),
            "1000001F": "Hi.\0".encode("utf-16-le"),
        },
    )
    assert [one.text for one in read_mail(plain)] == ["測試", "From 安", "Date 2026-04-02 07:30+00:00", "Hi."]
    headers = f"From: Ann <ann@example.org>\r\nDate: {DATE}\r\n\r\n".encode("utf-16-le")
    page = {0x0039_0040: sent, 0x3FDE_0003: 65001}
    read = read_mail(message(page, **{"007D001F": headers, "10130102": f"{HTML}<p>ä</p>".encode()}))
    assert [one.text for one in read[:2]] == ["From Ann <ann@example.org>", "Date 2026-04-02 09:30+02:00"]
    assert read[2:] == [*SHOWN, Block("ä")]


DAMAGED = {
    "not an OLE file": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "cut": message({})[:3000],
    "a time after all dates": message({0x0039_0040: 2**64 - 1}), "nothing": b"",
    "nested comments": b"From: a:" + b"(" * 20_000, "a group for an address": b"From: :;a\n\nx",
    "nested parts": b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (at, at) for at in range(3000)),
    "half a character": b"Content-Type: text/plain; name*=utf-7''+2AA-\n\nx",
}  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_mail_is_refused(data: bytes):
    assert shown_blocks(read_mail, data, False, Wanted("Hello")).problem


def test_a_mail_has_no_effect_but_its_text():
    made = mail(
        "", f"{HTML}<script>alert(1)</script>&lt;script>alert(2)&lt;/script><iframe src=x></iframe>", Subject="<b>"
    )
    read = shown_blocks(read_mail, made.as_bytes(), False, Wanted("Red buoys of the north"))
    assert judged(read.html).faults == []
    assert '<h3 data-block="0" dir="auto">&lt;b&gt;</h3>' in read.html
    assert '<mark class="passage-part">Red buoys<br>of the north</mark>' in read.html
    assert [part for part in ("127.0.0.1", "<script", "<iframe", "<a ") if part in read.html] == []
