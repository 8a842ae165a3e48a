"""Messages of Outlook made for tests: OLE files of one sector for each stream ([MS-CFB])."""

import struct

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_BIG = 4096


def message(numbers: dict[int, int], **streams: bytes) -> bytes:
    """A message with these numbers, by their tags and types, and these streams, by the ends of their names.

    Streams are filled with zeros up to the size from which they have sectors of the file.
    """
    listed = bytes(32) + b"".join(struct.pack("<IIQ", tag, 6, value) for tag, value in numbers.items())
    named = {"__properties_version1.0": listed, **{f"__substg1.0_{name}": data for name, data in streams.items()}}
    each = [data.ljust(_BIG, b"\0") for data in named.values()]
    sectors = [-(-len(data) // 512) for data in each]
    entries = [_entry("Root Entry", 5, _END, 0, child=1)]
    fat: list[int] = []
    for number, (name, data, count) in enumerate(zip(named, each, sectors, strict=True), 1):
        entries.append(_entry(name, 2, len(fat), len(data), right=number + 1 if number < len(named) else _FREE))
        fat += [*range(len(fat) + 1, len(fat) + count), _END]
    entries += [bytes(128)] * (-len(entries) % 4)
    directory = len(fat)
    fat += [*range(directory + 1, directory + len(entries) // 4), _END, _FAT]
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII", bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6, 0, 1, directory, 0, _BIG,
        _END, 0, _END, 0,
    ) + struct.pack("<I", len(fat) - 1)  # fmt: skip
    assert len(fat) <= 128
    table = struct.pack("<128I", *fat, *[_FREE] * (128 - len(fat)))
    content = b"".join(data.ljust(512 * count, b"\0") for data, count in zip(each, sectors, strict=True))
    return header.ljust(512, b"\xff") + content + b"".join(entries) + table


def _entry(name: str, kind: int, start: int, size: int, *, child: int = _FREE, right: int = _FREE) -> bytes:
    coded = (name + "\0").encode("utf-16-le")
    return struct.pack("<64sHBBIII36xIQ", coded, len(coded), kind, 1, _FREE, right, child, start, size)
