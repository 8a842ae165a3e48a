"""PDFs of one page that need a reader's own resources: character maps and image decoders."""

import struct

_SIDE = 64
# A square of half the side within the page, as a fax machine codes it (ITU-T T.6).
_FAX = bytes.fromhex("26a0786ffffffffc82e37fffffffffffffffffffffffffffffff8ffffffff0010010")


def chinese_pdf(words: str) -> bytes:
    """A line in a font that is only named, in codes of UCS-2."""
    descendant = (
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>>>"
    )
    font = (
        b"<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[" + descendant + b"]>>"
    )
    text = words.encode("utf-16-be").hex().encode()
    return _page(b"BT /F 9 Tf 20 140 Td <" + text + b"> Tj ET", b"/Font<</F 5 0 R>>", font)


def turned_pdf(*lines: str) -> bytes:
    """Lines on a page rotated by 90 degrees, and text of no size."""
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    text = b"".join(b"(%s) Tj 0 -11 Td " % line.encode("ascii") for line in lines)
    content = b"BT /F 9 Tf 20 140 Td " + text + b"0 0 0 0 0 0 Tm (nothing) Tj ET"
    return _page(content, b"/Font<</F 5 0 R>>", font, more=b"/Rotate 90")


def scanned_pdf(coding: str) -> bytes:
    """A scan in `JBIG2`, or in a broken `JPX`."""
    data = _jbig2() if coding == "JBIG2" else b"no image"
    head = f"/Type/XObject/Subtype/Image/Width {_SIDE}/Height {_SIDE}/BitsPerComponent 1/ColorSpace/DeviceGray"
    image = _stream(f"{head}/Filter/{coding}Decode".encode(), data)
    return _page(b"q 200 0 0 200 0 0 cm /I Do Q", b"/XObject<</I 5 0 R>>", image)


def _jbig2() -> bytes:
    """The segments of a page and of a region in it (ITU-T T.88, 7.2)."""
    page = struct.pack(">IIIIBH", _SIDE, _SIDE, 0, 0, 0, 0)
    region = struct.pack(">IIIIBB", _SIDE, _SIDE, 0, 0, 0, 1) + _FAX
    heads = (struct.pack(">IBBBI", *head) for head in ((0, 48, 0, 1, len(page)), (1, 38, 0, 1, len(region))))
    return b"".join(head + data for head, data in zip(heads, (page, region), strict=True))


def _stream(entries: bytes, data: bytes) -> bytes:
    return b"<<%s/Length %d>>\nstream\n%s\nendstream" % (entries, len(data), data)


def _page(content: bytes, resources: bytes, *objects: bytes, more: bytes = b"") -> bytes:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<<%s>>%s>>" % (resources, more)
    tree = (b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, _stream(b"", content))
    file, places = b"%PDF-1.7\n", []
    for number, one in enumerate((*tree, *objects), 1):
        places.append(b"%010d 00000 n \n" % len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, b"".join(places))
    return b"%s%strailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (file, table, len(places) + 1, len(file))
