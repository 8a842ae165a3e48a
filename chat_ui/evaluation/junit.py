"""A run as JUnit XML, for the pages on which continuous integration shows tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO, cast
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from chat_ui.evaluation.bounds import Check
from chat_ui.evaluation.results import CUT_OFF, Result

if TYPE_CHECKING:
    from io import TextIOBase

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot say (2.2)."""
_LONGEST_NAME: Final = 200


def write_junit(file: TextIO, results: Iterable[Result], checks: Sequence[Check], counts: tuple[int, int]) -> None:
    """Write to a file: a test for each answer, in error where it failed, and one for each check.

    `counts` are how many answers there are, and how many of them failed.
    """
    answers, failed = counts
    failures = sum(check.has_failed for check in checks)
    totals = {"tests": str(answers + len(checks)), "errors": str(failed), "failures": str(failures)}
    xml = XMLGenerator(cast("TextIOBase", file), "utf-8")
    xml.startDocument()
    with _element(xml, "testsuites", totals), _element(xml, "testsuite", {"name": "evaluation", **totals}):
        for result in results:
            _write_result(xml, result)
        for check in checks:
            with _element(xml, "testcase", {"classname": "checks", "name": check.words}):
                if check.has_failed:
                    _write_fault(xml, "failure", check.found)
    xml.endDocument()


def _write_result(xml: XMLGenerator, result: Result) -> None:
    number, time = result.place
    said = " ".join(result.question.text.split())[:_LONGEST_NAME]
    name = f"{number}. {said}" if time == 1 else f"{number}. {said} ({time})"
    seconds = result.answer.timing.total
    with _element(xml, "testcase", {"classname": "answers", "name": name, "time": f"{seconds or 0:.3f}"}):
        if result.values.get("failed"):
            error = result.answer.error
            _write_fault(xml, "error", error.message if error else CUT_OFF)


def _write_fault(xml: XMLGenerator, kind: str, words: str) -> None:
    with _element(xml, kind, {"message": words}):
        pass


@contextmanager
def _element(xml: XMLGenerator, name: str, attributes: Mapping[str, str]) -> Iterator[None]:
    said = {key: _NO_XML.sub("\ufffd", " ".join(value.split())) for key, value in attributes.items()}
    xml.startElement(name, AttributesImpl(said))
    yield
    xml.endElement(name)
