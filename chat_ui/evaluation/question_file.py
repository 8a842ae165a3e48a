"""The objects of a file of questions, each with the line on which it begins: of JSON Lines, a JSON list or CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from chat_ui.protocol.events import JsonObject

LONGEST: Final = 1_000_000
"""Characters of one question with its conversation, and of one truth."""
QUESTION_NAMES: Final = ("question", "query", "userinput", "input", "prompt")
"""The names of a question as `plain_name` has them, ours first: those of Azure AI Evaluation, ragas, DeepEval,
LangSmith, MLflow, promptfoo, LlamaIndex, Braintrust, OpenAI Evals, Inspect and Copilot Studio.
"""
MOST_NAMED: Final = 10
"""Fields that a message names."""
TOO_LONG: Final = f"is longer than {LONGEST:,} characters."
_HOLDER: Final = re.compile(r"(?:inputs|vars|expectations)\.")
"""What LangSmith, promptfoo and MLflow have before such a name."""
_LONGEST_HEADER: Final = 1_000
_LONGEST_NAME: Final = 60
_SEPARATORS: Final = ",;\t"
_NO_SEPARATOR: Final = "\x1f"
"""Separates the columns where there is one alone, whose questions hold commas."""
_TOLD: Final = re.compile(r"sep=(.)")
"""A first line by which spreadsheets say what separates the columns."""
_VALUE: Final = re.compile(r"[^\s,]|\Z")
_ZIP: Final = b"PK\x03\x04"
_COMPOUND_FILE: Final = b"\xd0\xcf\x11\xe0"
"""The beginning of a file of Microsoft Office before 2007."""
_NOT_TEXT: Final = "This is not a text file. Give JSON Lines, or a table that is saved as “CSV UTF-8”."
_NOT_JSON: Final = "is not JSON."
_NOT_OBJECT: Final = "is not a JSON object."
_NOT_CSV: Final = "is not CSV: a quotation mark is opened and not closed."


class QuestionsError(ValueError):
    """A file holds no questions, or a line of it is none; the message names the line."""


class FaultError(ValueError):
    """The fault of one line, in words that follow the number of the line."""


Found: TypeAlias = "tuple[int, JsonObject | FaultError]"
"""A line, from 1, and the object that begins on it."""


def objects_in(data: bytes, *, is_csv: bool) -> Iterator[Found]:
    """The objects of a file, in its order. A file that begins with a header is CSV in any case.

    Raises:
        QuestionsError: it is not text in UTF-8 or UTF-16.
    """
    text = _decoded(data)
    first = next(_rows(text), "").strip()
    if is_csv or (not first.startswith(("{", "[")) and _separator(first[:_LONGEST_HEADER])):
        return _of_csv(text)
    return _of_values(text) if first == "{" or first.startswith("[") else _of_lines(text)


def plain_name(name: str) -> str:
    """A name without case, spaces, underscores and hyphens, and without the object that holds it."""
    return "".join(filter(str.isalnum, _HOLDER.sub("", name.strip().casefold(), count=1)))


def quoted(names: Sequence[str]) -> str:
    """The first names, in quotation marks."""
    shown = [f"“{name[:_LONGEST_NAME]}”" for name in names[:MOST_NAMED]]
    return ", ".join([*shown, "…"] if len(names) > MOST_NAMED else shown)


def _decoded(data: bytes) -> str:
    is_zip = data.startswith(_ZIP)
    if (is_zip and b"xl/workbook." in data) or (data.startswith(_COMPOUND_FILE) and b"W\0o\0r\0k\0b\0o\0o\0k" in data):
        raise QuestionsError("This is an Excel workbook. Save it as “CSV UTF-8”.")
    if is_zip and b"opendocument.spreadsheet" in data[:200]:
        raise QuestionsError("This is an OpenDocument spreadsheet. Save it as CSV in UTF-8.")
    if is_zip or data.startswith(b"%PDF-"):
        raise QuestionsError(_NOT_TEXT)
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise QuestionsError(_NOT_TEXT) from None
        # A set is too short to guess its encoding by, and a wrong guess would change what is asked.
        line = error.object.count(b"\n", 0, error.start) + 1
        raise QuestionsError(
            f"Line {line} is not text in UTF-8. Save the file as UTF-8: in Excel, as “CSV UTF-8”."
        ) from None


def _rows(text: str) -> Iterator[str]:
    """The lines that hold something, of a table or not."""
    return (line for line in io.StringIO(text, newline=None) if line.strip())


def _of_lines(text: str) -> Iterator[Found]:
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        line = line.strip("\r\n \t")  # noqa: PLW2901 - the same line
        if not line:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield number, FaultError(_NOT_JSON)
            continue
        yield number, value if isinstance(value, Mapping) else FaultError(_NOT_OBJECT)


def _of_values(text: str) -> Iterator[Found]:
    """The values of a list, or one value after another, each on as many lines as it has."""
    decoder = json.JSONDecoder()
    is_list = text.lstrip().startswith("[")
    ends = text.index("[") + 1 if is_list else 0
    line = 1 + text.count("\n", 0, ends)
    while found := _VALUE.search(text, ends):
        begins = found.start()
        line += text.count("\n", ends, begins)
        if found[0] == ("]" if is_list else ""):
            if rest := text[begins + 1 :].lstrip():
                yield line + text.count("\n", begins, len(text) - len(rest)), FaultError(_NOT_JSON)
            return
        try:
            value, ends = decoder.raw_decode(text, begins)
        except (ValueError, RecursionError) as error:
            yield getattr(error, "lineno", line), FaultError(_NOT_JSON)
            return
        yield line, value if isinstance(value, Mapping) else FaultError(_NOT_OBJECT)
        line += text.count("\n", begins, ends)


def _separator(header: str) -> str:
    """The separator of the columns of a header with a question; empty where it has none."""
    for separator in sorted(_SEPARATORS, key=header.count, reverse=True):
        if any(plain_name(name) in QUESTION_NAMES for name in header.split(separator)):
            return separator if separator in header else _NO_SEPARATOR
    return ""


def _of_csv(text: str) -> Iterator[Found]:
    lines = _rows(text)
    header = next(lines, "")
    if told := _TOLD.fullmatch(header.strip()):
        header = next(lines, "")
    separator = told[1] if told and told[1] in header else _separator(header) or max(_SEPARATORS, key=header.count)
    csv.field_size_limit(max(csv.field_size_limit(), 4 * LONGEST))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    begins = 1
    try:
        for row in rows:
            line, begins = begins, rows.line_num + 1
            if not any(field.strip() for field in row) or (told and not names and "".join(row).startswith("sep=")):
                continue
            if not names:
                names = [field.strip() or f"column {number}" for number, field in enumerate(row, 1)]
                names = [f"{name} ({at + 1})" if name in names[:at] else name for at, name in enumerate(names)]
                if not any(plain_name(name) in QUESTION_NAMES for name in names):
                    raise QuestionsError(
                        f"Line {line} is the header, and no column is “question”, but {quoted(names)}."
                    )
                continue
            if len(row) > len(names):
                yield line, FaultError("has more fields than the header has columns.")
                continue
            yield line, dict(zip(names, row, strict=False))
    except csv.Error as error:
        is_long = "field limit" in str(error)
        yield begins, FaultError(TOO_LONG if is_long else _NOT_CSV)
