"""The folder of a run: its conditions (`run.json`), a line for each answer (`results.jsonl`), and the figures
(`summary.json`).

A line is written at the end of each answer. A killed run loses only unfinished answers, and the same command resumes
it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Annotated, Any, Final, Self, TextIO

import msgspec

from chat_ui.features.evaluation.errors import RunFolderError
from chat_ui.features.evaluation.question_set import Question, digest
from chat_ui.features.evaluation.results import Result, result_from_json
from chat_ui.protocol.answers.redaction import SUGGESTS_SECRET, url_without_secrets, without_named_secrets
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.events import JsonObject
from chat_ui.rendering.ai_notice import notice_json

RUN: Final = "run.json"
RESULTS: Final = "results.jsonl"
SUMMARY: Final = "summary.json"
_FORMAT: Final = 1
_MOST: Final = 2**40


class Conditions(msgspec.Struct, frozen=True):
    """The conditions of comparable answers: the digest of the `questions`, and the request's settings.

    `count` is the number of questions in the set, `options` a digest of the backend's options; `shown_options` are
    these without credentials. `told` names those that only the deployment told. `question_file` is the name of the file
    of the questions. `approve` names the approved tools.
    """

    questions: str
    count: int
    url: str
    model: str | None
    dialect: str
    stream: bool
    options: str
    shown_options: dict[str, Any]
    question_file: str = ""
    concurrency: int = 1
    told: tuple[str, ...] = ()
    approve: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        questions: Sequence[Question],
        backend: Backend,
        options: JsonObject,
        *,
        told: tuple[str, ...],
        recording: Path | None,
        file: str,
        concurrency: int,
        approve: Sequence[str] = (),
    ) -> Conditions:
        """The conditions of a run that asks `backend`, or its `recording`, the `questions` of a `file`."""
        without = without_named_secrets(options, SUGGESTS_SECRET)
        return cls(
            questions=digest(questions),
            count=len(questions),
            url=str(recording.resolve()) if recording is not None else url_without_secrets(backend.url),
            model=backend.model,
            dialect=backend.dialect,
            stream=backend.stream,
            options=hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest(),
            shown_options=dict(without) if isinstance(without, Mapping) else {},
            question_file=file,
            concurrency=concurrency,
            told=told,
            approve=tuple(sorted(approve)),
        )


_COMPARED: Final[Mapping[str, str]] = {
    "questions": "questions", "url": "URL", "model": "model",
    "dialect": "dialect", "stream": "streaming", "options": "options",
    "told": "options from the deployment", "approve": "approved tools",
}  # fmt: skip
"""The conditions that a resumed run must keep, in words."""


class StoredResults:
    """The results in a folder, read individually: only their positions and questions' keys are in memory."""

    def __init__(self, path: Path) -> None:
        """Read a file of results. An incomplete last line of a killed process is ignored.

        Raises:
            RunFolderError: the file is unreadable, or a line is not a result.
        """
        self._path = path
        self._found: dict[tuple[int, int], tuple[int, str]] = {}
        self.failed: set[tuple[int, int]] = set()
        """The places whose last result is a failure. A later line for a place replaces an earlier one."""
        self.end = 0
        """Bytes of the valid lines."""
        self.is_open = False
        """Whether the last line lacks its newline."""
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    self.is_open = not line.endswith(b"\n")
                    found = _beginning(line)
                    if found is None and self.is_open:
                        self.is_open = False
                        break
                    if found is None:
                        raise RunFolderError(
                            f"Line {number} of {path} is not a result. Remove the line or name another folder."
                        )
                    self._know((found.number, found.time), found.key, len(line), has_failed=found.failed)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise RunFolderError(_cannot("read", path, error)) from None

    @property
    def places(self) -> Collection[tuple[int, int]]:
        """The number of the question and the time of each result."""
        return self._found.keys()

    @property
    def keys(self) -> Iterator[tuple[tuple[int, int], str]]:
        """The place of each result with the key of its question, in the order of the questions."""
        return ((place, self._found[place][1]) for place in sorted(self._found))

    def __contains__(self, place: tuple[int, int]) -> bool:
        return place in self._found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Result]:
        if not self._found:
            return
        with self._path.open("rb") as file:
            for place in sorted(self._found):
                yield self._at(file, self._found[place][0])

    def get(self, place: tuple[int, int]) -> Result | None:
        if place not in self._found:
            return None
        with self._path.open("rb") as file:
            return self._at(file, self._found[place][0])

    def note(self, result: Result, size: int) -> None:
        """Add a written line of `size` bytes."""
        self._know(result.place, result.key, size, has_failed=bool(result.values["failed"]))

    def _know(self, place: tuple[int, int], key: str, size: int, *, has_failed: bool) -> None:
        self._found[place] = self.end, key
        self.end += size
        if has_failed:
            self.failed.add(place)
        else:
            self.failed.discard(place)

    def _at(self, file: IO[bytes], offset: int) -> Result:
        file.seek(offset)
        try:
            return result_from_json(json.loads(file.readline()))
        except (ValueError, RecursionError) as error:
            raise RunFolderError(f"{self._path} has a line that is not a result: {error}.") from None


class _Beginning(msgspec.Struct):
    """The place of a result; the rest of its line is ignored."""

    number: Annotated[int, msgspec.Meta(ge=1, le=_MOST)]
    time: Annotated[int, msgspec.Meta(ge=1, le=_MOST)]
    key: str = ""
    failed: bool = False


_beginnings: Final = msgspec.json.Decoder(_Beginning)


def _beginning(line: bytes) -> _Beginning | None:
    try:
        return _beginnings.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


class RunFolder:
    """The folder of a running run, locked against other processes."""

    def __init__(self, path: Path, conditions: Conditions) -> None:
        """Open or create the folder of a run.

        Raises:
            RunFolderError: the folder has other content, is in use, or is not writable. It is unchanged.
        """
        self.path = path
        self.conditions = conditions
        self._lock: int | None = None
        self._file: IO[bytes] | None = None
        self._made: list[Path] = []
        with ExitStack() as undo:
            undo.callback(self._leave)
            try:
                self._take(path, conditions)
            except BlockingIOError:
                raise RunFolderError(f"{path} is in use by another run. Name another folder.") from None
            except OSError as error:
                raise RunFolderError(_cannot("written", path, error)) from None
            undo.pop_all()

    def _take(self, path: Path, conditions: Conditions) -> None:
        if path.exists() and not path.is_dir():
            raise RunFolderError(f"{path} is a file. Name a folder.")
        missing = [one for one in (path, *path.parents) if not one.exists()]
        path.mkdir(parents=True, exist_ok=True)
        self._made = missing
        self._lock = os.open(path, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        earlier = conditions_in(path)
        if earlier is None and any(path.iterdir()):
            raise RunFolderError(f"{path} contains other files. Name another folder.")
        if earlier is not None:
            _expect_same(path, earlier, conditions)
        self.results = StoredResults(path / RESULTS)

    def _leave(self) -> None:
        """Release the folder, and remove it if created in vain."""
        with suppress(OSError):
            for folder in self._made if self._file is None else ():
                folder.rmdir()
        if self._lock is not None:
            os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            # A full disk was reported when it was written.
            with suppress(OSError):
                self._file.close()
        self._leave()

    def add(self, result: Result) -> None:
        """Write a line.

        Raises:
            RunFolderError: the disk is full or fails.
        """
        line = json.dumps(clean_json(result.values), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            if self._file is None:
                write_json(
                    self.path / RUN, {"format": _FORMAT, **notice_json(""), **msgspec.structs.asdict(self.conditions)}
                )
                self._file = (self.path / RESULTS).open("ab")
                self._file.truncate(self.results.end)
                if self.results.is_open:
                    self._file.write(b"\n")
                    self.results.end += 1
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise RunFolderError(_cannot("written", self.path / RESULTS, error)) from None
        self.results.note(result, len(line))


def earlier_run(path: Path) -> tuple[Conditions, StoredResults]:
    """The conditions and the results of an earlier run.

    Raises:
        RunFolderError: the folder is not of a run.
    """
    try:
        conditions = conditions_in(path)
    except OSError as error:
        raise RunFolderError(_cannot("read", path, error)) from None
    if conditions is None:
        raise RunFolderError(f"{path} is not the folder of a run: {RUN} is missing. Name the --out of an earlier run.")
    return conditions, StoredResults(path / RESULTS)


def write_json(path: Path, value: JsonObject) -> None:
    """Write a file of a JSON object atomically.

    Raises:
        OSError: the file cannot be written.
    """
    with complete_file(path) as file:
        file.write(json.dumps(clean_json(value), ensure_ascii=False, indent=2) + "\n")


@contextmanager
def complete_file(path: Path) -> Iterator[TextIO]:
    """A file that appears at `path` only when complete. A link stays a link.

    Raises:
        OSError: the file cannot be written; its `filename` is `path`.
    """
    target = path.resolve()
    new = target.with_name(f".{token_hex(8)}.new")
    try:
        try:
            with new.open("x", encoding="utf-8", errors="replace", newline="\n") as file:
                yield file
            new.replace(target)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def conditions_in(path: Path) -> Conditions | None:
    """The conditions of the run in a folder; None without a run.

    Raises:
        OSError: they cannot be read.
        RunFolderError: they are damaged, or of another version.
    """
    file = path / RUN
    try:
        data = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        found = json.loads(data)
        if found["format"] != _FORMAT:
            raise RunFolderError(f"{file} was written by another version. Name another folder.")
        return msgspec.convert(found, Conditions)
    except (ValueError, TypeError, KeyError, RecursionError, msgspec.MsgspecError) as error:
        if isinstance(error, RunFolderError):
            raise
        raise RunFolderError(f"{file} is not a run of chat-ui, or is damaged. Name another folder.") from None


def _expect_same(path: Path, earlier: Conditions, now: Conditions) -> None:
    other = [words for name, words in _COMPARED.items() if getattr(earlier, name) != getattr(now, name)]
    if other:
        raise RunFolderError(f"{path} has a run with other settings ({', '.join(other)}). Name another folder.")


def _cannot(what: str, path: Path, error: OSError) -> str:
    return f"{path} cannot be {what}: {error.strerror or error}."
