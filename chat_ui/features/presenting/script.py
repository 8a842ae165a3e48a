"""The script of a presentation: its questions, and the part to open after each answer.

It is a TOML file:

    [[step]]
    question = "How much parental leave do I get?"
    open = "citation 1"
    notes = "Point out that the policy is from this year."

`open` is `sources`, `thoughts`, `citation N` (the source with the number N in the answer) or `document N` (the document
of that source). It is optional, like `notes`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Final
from unicodedata import category

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chat_ui.features.presenting.errors import ScriptError
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg, with_commas
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.settings import expect_regular_file

MOST_BYTES: Final = 64 * 1024
MOST_STEPS: Final = 200
LONGEST_QUESTION: Final = 4000
LONGEST_NOTES: Final = 4000
_OPENED: Final = re.compile(r"(sources|thoughts)|(citation|document) ([1-9][0-9]{0,2})")
_PLACE: Final = re.compile(r"(?P<fault>.*?) \(at line (?P<line>\d+), column \d+\)", re.DOTALL)
_SHOWN: Final = 60
_MOST_FAULTS: Final = 5


def _known_opening(text: str) -> str:
    if not _OPENED.fullmatch(text):
        raise ValueError("opening")
    return text


def _not_blank(text: str) -> str:
    text = clean_text(text).strip()
    if not any(category(letter)[0] not in "CZ" for letter in text):
        raise ValueError("blank")
    return text


class Step(BaseModel):
    """A question, the part to open after its answer (may be empty), and the presenter's notes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: Annotated[str, Field(max_length=LONGEST_QUESTION), AfterValidator(_not_blank)]
    open: Annotated[str, AfterValidator(_known_opening)] | None = None
    notes: Annotated[str, Field(max_length=LONGEST_NOTES), AfterValidator(clean_text)] = ""

    def as_json(self) -> JsonObject:
        """In the page's format: `open` is `{"what": …, "number": …}` or null."""
        what = _OPENED.fullmatch(self.open or "")
        opened: JsonObject | None = None
        if what is not None:
            opened = {"what": what[1] or what[2], "number": int(what[3]) if what[3] else None}
        return {"question": self.question, "open": opened, "notes": self.notes}


class Script(BaseModel):
    """The steps of a presentation in order, at least one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    step: Annotated[list[Step], Field(min_length=1, max_length=MOST_STEPS)]

    def as_json(self) -> JsonObject:
        return {"steps": [step.as_json() for step in self.step]}


def parse_script(data: bytes) -> Script:
    """The script of a TOML file's content.

    Raises:
        ScriptError: the content is not a script.
    """
    if len(data) > MOST_BYTES:
        raise ScriptError(msg("The script is too large: at most {most} kB are allowed.", most=MOST_BYTES // 1024))
    try:
        # An editor may have added a byte order mark, which TOML does not allow.
        content = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ScriptError(msg("This file is not text in UTF-8. Choose a script in TOML.")) from None
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(_not_toml(str(error))) from None
    except (RecursionError, ValueError):
        raise ScriptError(
            msg("This TOML file cannot be read: it is nested too deeply, or a number is too long.")
        ) from None
    try:
        return Script.model_validate(content)
    except ValidationError as error:
        found = error.errors(include_url=False)
        # A script whose only key is misspelt lacks steps too.
        faults = [fault for fault in found if fault["loc"] != ("step",) or fault["type"] != "missing"] or found
        words = list(dict.fromkeys(_in_words(fault) for fault in faults[:_MOST_FAULTS]))
        raise ScriptError(reduce(lambda some, more: msg("{some} {more}", some=some, more=more), words)) from None


def read_script(path: Path) -> Script:
    """The script in a TOML file.

    Raises:
        ScriptError: the file is unreadable or not a script; the message names it.
    """
    try:
        expect_regular_file(path)
        with path.open("rb") as file:
            return parse_script(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise ScriptError(f"{path} cannot be read: {error.strerror}.") from None
    except ScriptError as error:
        raise ScriptError(f"{path}: {error}") from None


def _not_toml(fault: str) -> str:
    placed = _PLACE.fullmatch(fault)
    if placed is None:
        return msg("This file is not valid TOML: {fault}.", fault=fault)
    return msg("Line {line} is not TOML: {fault}.", line=int(placed["line"]), fault=placed["fault"])


def _in_words(fault: Any) -> str:
    place: Sequence[int | str] = fault["loc"]
    kind: str = fault["type"]
    if len(place) < 3:
        return _of_the_script(place, kind)
    number, key, value = int(place[1]) + 1, str(place[2]), fault["input"]
    if kind == "missing":
        return msg("Step {number}: {key} is missing.", number=number, key=key)
    if kind == "extra_forbidden":
        known = with_commas(Step.model_fields)
        return msg(
            "Step {number}: the key “{key}” is not known. Known keys: {known}.",
            number=number,
            key=_short(key),
            known=known,
        )
    if kind == "string_too_long":
        most = int(fault["ctx"]["max_length"])
        return msg("Step {number}: {key} is longer than {most} characters.", number=number, key=key, most=most)
    if key == "open" and kind == "value_error":
        return msg(
            "Step {number}: open cannot be “{value}”. Use sources, thoughts, citation 1 or document 1 (any number).",
            number=number,
            value=_short(str(value)),
        )
    if kind == "value_error":
        return msg("Step {number}: {key} is empty.", number=number, key=key)
    return msg("Step {number}: {key} is not text in quotation marks.", number=number, key=key)


def _of_the_script(place: Sequence[int | str], kind: str) -> str:
    if kind == "extra_forbidden":
        return msg(
            "The script has an unknown key, “{key}”. It can only have steps, each of which starts with [[step]].",
            key=_short(str(place[0])),
        )
    if kind == "too_long":
        return msg("The script has too many steps: at most {most} are allowed.", most=MOST_STEPS)
    return msg("The script has no steps. Each starts with [[step]].")


def _short(text: str) -> str:
    text = " ".join(clean_text(text).translate(OVERRIDES).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
