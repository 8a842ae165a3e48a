"""A run as JUnit XML, for continuous integration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TextIO
from xml.etree.ElementTree import Element, ElementTree, SubElement

from chat_ui.features.evaluation.bounds import Check
from chat_ui.features.evaluation.results import CUT_OFF, Result

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 excludes (2.2)."""
_LONGEST_NAME: Final = 200


def write_junit(
    file: TextIO,
    results: Iterable[Result],
    checks: Sequence[Check],
    counts: tuple[int, int],
    properties: Mapping[str, object],
) -> None:
    """Write a test for each answer, in error if it failed, and a test for each check. `counts` are the number of
    answers, and of failed ones. `properties` are those of the suite.
    """
    answers, failed = counts
    failures = sum(check.has_failed for check in checks)
    totals = {"tests": str(answers + len(checks)), "errors": str(failed), "failures": str(failures)}
    suites = Element("testsuites", totals)
    suite = SubElement(suites, "testsuite", {"name": "evaluation", **totals})
    listed = SubElement(suite, "properties")
    for name, value in properties.items():
        SubElement(listed, "property", name=name, value=_said(str(value)))
    for result in results:
        _add_result(suite, result)
    for check in checks:
        case = SubElement(suite, "testcase", classname="checks", name=_said(check.words))
        if check.has_failed:
            SubElement(case, "failure", message=_said(check.found))
    file.write('<?xml version="1.0" encoding="utf-8"?>\n')
    ElementTree(suites).write(file, encoding="unicode")


def _add_result(suite: Element, result: Result) -> None:
    number, time = result.place
    said = _said(result.question.text)[:_LONGEST_NAME]
    name = f"{number}. {said}" if time == 1 else f"{number}. {said} ({time})"
    seconds = f"{result.answer.timing.total or 0:.3f}"
    case = SubElement(suite, "testcase", classname="answers", name=name, time=seconds)
    if result.values.get("failed"):
        error = result.answer.error
        SubElement(case, "error", message=_said(error.message if error else CUT_OFF))


def _said(words: str) -> str:
    return _NO_XML.sub("\ufffd", " ".join(words.split()))
