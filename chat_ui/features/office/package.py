"""A package of parts: a ZIP file with XML, as Office writes it (ECMA-376, part 2).

Nothing outside of the package is read: external relations are passed over, document types are refused.
"""

from __future__ import annotations

import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from io import BytesIO
from typing import Final, TypeAlias
from xml.parsers import expat

UNREADABLE: Final = (
    expat.ExpatError, zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, OSError, RuntimeError,
    ValueError, ArithmeticError, AttributeError, TypeError,
)  # fmt: skip
"""Errors for files that are damaged, encrypted, of another type or too large; the last three are of `email`, `olefile`
and `striprtf`.
"""
MOST_EXPANDED: Final = 256_000_000
"""Bytes that are read of all parts."""
_PORTION: Final = 65_536
_MOST_ENTRIES: Final = 20_000
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""Compressions that expand at most a portion at once."""

Start: TypeAlias = Callable[[str, Mapping[str, str]], object]
"""Called with the local name of an element and its attributes (see `attribute`)."""


def _ignore(_: str) -> None:
    """An end or a text without a use."""


class _Names(dict[str, str]):
    """The local names of elements that are seen; empty for others."""

    def __init__(self, seen: Container[str]) -> None:
        super().__init__()
        self._seen = seen

    def __missing__(self, name: str) -> str:
        local = _local(name)
        self[name] = local if local in self._seen else ""
        return self[name]


class Package:
    """The parts of a file. Each method raises `UNREADABLE` errors."""

    def __init__(self, data: bytes) -> None:
        self._archive = zipfile.ZipFile(BytesIO(data))
        self._left = MOST_EXPANDED

    def __contains__(self, part: str) -> bool:
        return part in self._archive.NameToInfo

    def read(self, part: str) -> bytes:
        return b"".join(self._portions(self._archive.getinfo(part)))

    def _portions(self, info: zipfile.ZipInfo) -> Iterator[bytes]:
        if info.compress_type not in _METHODS:
            raise ValueError("compression")
        with self._archive.open(info) as content:
            while portion := content.read(_PORTION):
                self._left -= len(portion)
                if self._left < 0:
                    raise ValueError("size")
                yield portion

    def parse(
        self,
        part: str,
        start: Start,
        end: Callable[[str], object] = _ignore,
        text: Callable[[str], object] = _ignore,
        *,
        seen: Container[str],
    ) -> None:
        """Call `text` for the text of a part, `start` and `end` for its elements that are `seen`, by local names."""
        names = _Names(seen)

        def started(name: str, attributes: dict[str, str]) -> None:
            if local := names[name]:
                start(local, attributes)

        def ended(name: str) -> None:
            if local := names[name]:
                end(local)

        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = started, ended, text
        for portion in self._portions(self._archive.getinfo(part)):
            parser.Parse(portion)
        parser.Parse(b"", True)

    def check(self) -> None:
        """Raise an error for too many or too large parts, before a reader without bounds."""
        entries = self._archive.infolist()
        if len(entries) > _MOST_ENTRIES:
            raise ValueError("entries")
        for entry in entries:
            for _ in self._portions(entry):
                pass

    def relations(self, part: str = "") -> dict[str, tuple[str, str]]:
        """The kinds and targets of a part's relations to existing parts by their ids; without a part, the package's."""
        folder, name = posixpath.split(part)
        found: dict[str, tuple[str, str]] = {}

        def start(_: str, attributes: Mapping[str, str]) -> None:
            if attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/")
                if target in self:
                    found[attributes.get("Id", "")] = attributes.get("Type", "").rpartition("/")[2], target

        listed = posixpath.join(folder, "_rels", f"{name}.rels")
        if listed in self:
            self.parse(listed, start, seen={"Relationship"})
        return found


def attribute(attributes: Mapping[str, str], local: str) -> str:
    """The value of the attribute with this local name; empty if missing."""
    return next((value for name, value in attributes.items() if _local(name) == local), "")


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse(*_: object) -> None:
    raise ValueError("document type")
