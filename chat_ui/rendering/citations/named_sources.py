"""The sources of one answer by their names.

A name is a source's exactly; by decoded name, case or spaces; by its figure, which is of the document that is named
with it; or with the page or figure left out on either side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.citations.brackets import SEPARATOR
from chat_ui.rendering.citations.source_names import (
    DOCUMENT_EXTENSIONS,
    URL,
    SourceName,
    clean_label,
    extension_of,
    last_part,
    normalized,
    normalized_form_value,
    source_name,
)

RULE_EXACT = "exact"
RULE_NAME = "name"
RULE_PAGE = "page"
RULE_FIGURE = "figure"

NUMBER: Final = re.compile(r"\d{1,6}")
"""A name that is a number."""


class NamedSources:
    """The data points of one answer, to be found by name. They go `by_number` where most have a number."""

    def __init__(self, points: Sequence[DataPoint]) -> None:
        """Index `points` by id, name, document and number; earlier ones win where two have the same name."""
        self.points = tuple(points)
        self._exact: dict[str, int] = {}
        self._normalized: dict[str, int] = {}
        self._documents: dict[str, list[tuple[int, SourceName]]] = {}
        self._paths: dict[str, set[str]] = {}
        self._figures: dict[str, list[tuple[int, SourceName]]] = {}
        self._extensions = set(DOCUMENT_EXTENSIONS)
        numbered = sum(
            any(NUMBER.fullmatch(name.strip()) for name in (point.id, *point.names)) for point in self.points
        )
        self.by_number = 2 * numbered > len(self.points)
        for name_of in NAMES:
            for index, point in enumerate(self.points):
                self._add(name_of(point), index)
        for index, point in enumerate(self.points):
            for name in point.names:
                self._add(name.strip(), index)

    def _add(self, name: str, index: int) -> None:
        if not name:
            return
        self._exact.setdefault(name, index)
        self._normalized.setdefault(normalized(name), index)
        parts = source_name(self.points[index].with_page(name))
        if self.points[index].image or parts.figure:
            self._figures.setdefault(normalized(parts.figure or name), []).append((index, parts))
        own = _id_of(self.points[index])
        is_page = parts.pages is not None and name in self.points[index].names
        if name != own and not is_page and normalized(source_name(own).document) == normalized(parts.document):
            return
        if parts.document and not NUMBER.fullmatch(parts.document):
            document = normalized(parts.document)
            self._documents.setdefault(document, []).append((index, parts))
            last = normalized(last_part(parts.document))
            if last and name != _url_of(self.points[index]):
                self._paths.setdefault(last, set()).add(document)
        extension = extension_of(parts.document)
        if extension and not URL.match(name):
            self._extensions.add(extension)

    def label(self, index: int) -> str:
        """What a person reads as the name of data point `index`: its id where that is a document's name, else what its
        source is called.
        """
        point = self.points[index]
        is_named = extension_of(source_name(point.id).document) or not point.source
        name = point.id if is_named else translated(point.source)
        return clean_label(name) or gettext("Source {number}", number=str(index + 1))

    def find(self, name: str) -> tuple[int, str] | None:
        """The index of the data point of that name, and the rule that it was found by; None where there is none."""
        exact = self._exact.get(name)
        if exact is not None:
            return exact, RULE_EXACT
        written = self._normalized.get(normalized(name), self._normalized.get(normalized_form_value(name)))
        if written is not None:
            return written, RULE_NAME
        parts = source_name(name)
        if SEPARATOR.search(parts.fragment):
            return None
        figure = self._find_figure(name, parts)
        return (figure, RULE_FIGURE) if figure is not None else self._find_in_document(parts)

    def _find_figure(self, name: str, cited: SourceName) -> int | None:
        """The image of the cited figure: of the cited document and page, or one that is named by its figure alone."""
        for index, source in self._figures.get(normalized(cited.figure or name), ()):
            is_its_own = not cited.figure or (not source.figure and not SEPARATOR.search(cited.document))
            of_document = source.figure and normalized(cited.document) in {
                normalized(source.document), normalized(last_part(source.document)),
            }  # fmt: skip
            if is_its_own or (of_document and cited.agrees_with(source)):
                return index
        return None

    def _find_in_document(self, cited: SourceName) -> tuple[int, str] | None:
        """The best data point of the cited document whose page and figure do not contradict the cited ones.

        A file's name alone stands for its path where one document alone has it.
        """
        key = normalized(cited.document)
        if key not in self._documents:
            paths = self._paths.get(key, set())
            key = next(iter(paths)) if len(paths) == 1 else normalized_form_value(cited.document)
        candidates = [(index, name) for index, name in self._documents.get(key, []) if cited.agrees_with(name)]
        if not candidates:
            return None

        def distance(candidate: tuple[int, SourceName]) -> tuple[bool, bool, bool]:
            _, name = candidate
            return not cited.same_fragment(name), not cited.same_figure(name), name.document != cited.document

        index, name = min(candidates, key=distance)
        is_same = cited.same_fragment(name) and cited.same_figure(name)
        return index, RULE_NAME if is_same else RULE_PAGE

    def can_only_be_a_source(self, name: str) -> bool:
        """Whether a name is a source's even where no source has it: a URL, or the name of a file of a document."""
        if URL.fullmatch(name):
            return True
        if any(character in name for character in '<>|"`=*') and "#" not in name:
            return False
        return extension_of(source_name(name).document) in self._extensions

    def is_name_of(self, name: str, index: int) -> bool:
        """Whether a data point has that name."""
        return normalized(name) in {normalized(name_of(self.points[index])) for name_of in NAMES}


def _id_of(point: DataPoint) -> str:
    return point.id.strip()


def _url_of(point: DataPoint) -> str:
    return (point.url or "").strip()


def _source_of(point: DataPoint) -> str:
    return point.source.strip()


def _image_url_of(point: DataPoint) -> str:
    image = (point.image or "").strip()
    return image if URL.fullmatch(image) else ""


NAMES = (_id_of, _url_of, _source_of, _image_url_of)
"""What a source may be cited by; earlier ones win."""
