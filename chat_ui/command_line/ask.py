"""`ask`: a question, and its answer as it streams."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from chat_ui.command_line.approvals import MOST_PAUSES, decisions_on
from chat_ui.command_line.arguments import advised, asked_backend, pinning, pinning_hint
from chat_ui.command_line.terminal import Waiting, note, print_json, shown
from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.pause import MOST_REPEATS, Resume, pause_to_json
from chat_ui.protocol.answers.placed_citation import PlacedCitation, with_brackets
from chat_ui.protocol.backends.backend import Backend, Bounds, ChatRequest, Message
from chat_ui.protocol.backends.request import secrets_of
from chat_ui.protocol.clean_text import clean_json, clean_text
from chat_ui.protocol.detection.asking import FOUND_ELSEWHERE, ask_anywhere, ask_there
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.errors import InvalidRequestError, RecordingError
from chat_ui.protocol.events import (
    CUT_OFF,
    MAYBE_SHORT,
    NO_END,
    REFUSED,
    CitationReceived,
    Event,
    Json,
    TextDelta,
    TextRevised,
)
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording_format import header_for
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import UNREACHABLE
from chat_ui.protocol.transport.guard import Guard
from chat_ui.protocol.transport.http_errors import with_wait

if TYPE_CHECKING:
    from chat_ui.rendering.answer import RenderedAnswer

COMPLETE: Final = 0
BACKEND_ERROR: Final = 1
UNUSABLE: Final = 2
CUT_OFF_OR_UNREACHABLE: Final = 3
WAITING: Final = 4

_SHOWN_WARNINGS: Final = {
    **dict.fromkeys((CUT_OFF, NO_END), "The answer was cut off"),
    **dict.fromkeys(MAYBE_SHORT, "The answer may be incomplete"),
    **dict.fromkeys((REFUSED, FOUND_ELSEWHERE), "Note"),
}
"""Codes of warnings that are shown without `--json` too, each with the text before its detail."""
_WAS_REASONING: Final = "Note: The text above is the model's reasoning. The answer follows."
_NO_COMPLETE_ANSWER: Final = UNREACHABLE | {"too_large"}


async def ask(options: argparse.Namespace, key: str | None) -> int:
    """Ask, print and return the exit status. Statuses: 0 complete, 1 an error of the backend, 2 the recording cannot be
    written, 3 cut off or unreachable, 4 an agent waits for a decision.
    """
    backend = asked_backend(options, key)
    bounds = Bounds(total_timeout=options.timeout)
    try:
        with _recorder(options, backend) as recorder:
            async with AsyncClient(bounds, guard=Guard(options.policy)) as client:
                asked = pinning(client, options)
                backend, overrides, _ = await advised(asked, options, backend)
                request = ChatRequest((Message("user", clean_text(options.question)),), overrides=overrides)
                if recorder is not None:
                    asked = asked.with_transport(partial(RecordingTransport, recorder=recorder))
                *paused, answer = await _answers(asked, backend, request, options)
    except RecordingError as problem:
        note(str(problem))
        return UNUSABLE
    if options.json:
        print_json({**answer_object(answer), "paused_answers": [answer_object(one) for one in paused]})
    return exit_status(answer)


@contextmanager
def _recorder(options: argparse.Namespace, backend: Backend) -> Iterator[Recorder | None]:
    if options.record is None:
        yield None
        return
    with Recorder(options.record, header_for(backend), on_failure=note) as recorder:
        yield recorder


async def _answers(
    client: AsyncClient, backend: Backend, request: ChatRequest, options: argparse.Namespace
) -> list[Answer]:
    """The answer, after its paused parts that were decided on."""
    answer, backend = await _streamed(client, backend, request, options)
    answers, resume = [answer], Resume(())
    while (pause := answer.pause) is not None and answer.error is None:
        if is_repeated := resume.repeats(pause) >= MOST_REPEATS:
            note(f"The agent asked for the same after {MOST_REPEATS} decisions.")
        may_decide = not is_repeated and len(answers) <= MOST_PAUSES and answer.recorded_at is None
        decisions = await decisions_on(pause, options) if may_decide else ()
        if not decisions:
            note("The agent waits for a decision.")
            break
        resume = Resume((*resume.steps, (pause, decisions)))
        request = replace(request, session_state=answer.session_state or request.session_state, resume=resume)
        try:
            answer, backend = await _streamed(client, backend, request, options)
        except InvalidRequestError as problem:
            note(str(problem))
            break
        answers.append(answer)
    return answers


async def _streamed(
    client: AsyncClient, backend: Backend, request: ChatRequest, options: argparse.Namespace
) -> tuple[Answer, Backend]:
    """The answer, which is printed as it arrives, and the backend that gave it."""
    waiting = Waiting("Asking")
    builder = AnswerBuilder(secrets_of(backend, request.overrides))
    begun = 0
    printed: set[PlacedCitation] = set()
    closed: list[OSError] = []

    def show() -> None:
        """Print new text. A later citation cannot be inserted into printed text."""
        nonlocal begun
        last, end = max(0, begun - 1), builder.streamed.length
        new = [one for one in builder.citations if one.end >= begun and one not in printed]
        placed = [PlacedCitation(one.label, max(one.start, begun) - last, one.end - last) for one in new]
        text = with_brackets(builder.streamed.between(last, end), placed)[begun - last :]
        begun = end
        printed.update(new)
        if text:
            waiting.stop()
            sys.stdout.write(shown(text, sys.stdout))
            sys.stdout.flush()

    def show_soon() -> None:
        try:
            show()
        except OSError as problem:
            closed.append(problem)

    def take(event: Event) -> None:
        nonlocal begun
        for problem in closed:
            raise problem
        if isinstance(event, TextRevised) and not options.json:
            show()
            begun = 0
            print(flush=True)
            note(_WAS_REASONING)
        builder.add(event)
        if isinstance(event, TextDelta | CitationReceived) and not options.json:
            # Citations of an unstreamed answer follow its text.
            asyncio.get_running_loop().call_soon(show_soon)

    with waiting:
        if request.resume is None:
            backend = await ask_anywhere(client, backend, request, take, on_request=waiting.note)
        else:
            backend = await ask_there(client, backend, request, take)
        builder.close()
        if not options.json:
            show()
    answer = builder.answer()
    if not options.json:
        _show_rest(answer)
    return answer, backend


def exit_status(answer: Answer) -> int:
    if answer.error is not None:
        return CUT_OFF_OR_UNREACHABLE if answer.error.code in _NO_COMPLETE_ANSWER else BACKEND_ERROR
    if answer.pause is not None:
        return WAITING
    return COMPLETE if answer.complete else CUT_OFF_OR_UNREACHABLE


def answer_object(answer: Answer) -> dict[str, Json]:
    """`answer` as the JSON object that `--json` prints."""
    error, timing, rendered = answer.error, answer.timing, _rendered(answer)
    return {
        "text": answer.text,
        "dialect": answer.dialect,
        "complete": answer.complete,
        "recorded_at": answer.recorded_at,
        "error": None
        if error is None
        else {
            "message": error.message,
            "code": error.code,
            "status": error.status,
            "retry_after": error.retry_after,
        },
        "followup_questions": list(answer.followup_questions),
        "data_points": [
            {
                "id": point.id,
                "source": point.source,
                "text": point.text,
                "url": point.url,
                "image": point.image,
                "step": point.step,
            }
            for point in answer.data_points
        ],
        "pictures": [
            {"prompt": one.prompt, "type": one.media_type, "size": one.size, "url": one.url or None}
            for one in answer.pictures
        ],
        "citations": list(_citation_objects(answer, rendered)),
        "claims": _claim_objects(answer, rendered),
        "thoughts": [
            {"title": thought.title, "description": thought.description, "props": thought.props}
            for thought in answer.all_thoughts
        ],
        "pause": None if answer.pause is None else pause_to_json(replace(answer.pause, kept=None)),
        "session_state": None if answer.session_state is None else clean_json(answer.session_state.value),
        "warnings": [{"code": warning.code, "detail": warning.detail} for warning in answer.warnings],
        "timing": {
            "first_byte_s": timing.first_byte,
            "first_text_s": timing.first_text,
            "total_s": timing.total,
        },
    }


def _rendered(answer: Answer) -> RenderedAnswer:
    # Importing the renderer takes longer than a short answer.
    from chat_ui.rendering.answer import render_answer  # noqa: PLC0415

    return render_answer(answer.text, answer.data_points, answer.citations)


def _claim_objects(answer: Answer, rendered: RenderedAnswer) -> list[Json]:
    """The cited sentences that were compared with their passages."""
    from chat_ui.rendering.claim_check import checked  # noqa: PLC0415
    from chat_ui.rendering.compared_claims import claims_json  # noqa: PLC0415

    return claims_json(answer, checked(answer, rendered).checks)


def _citation_objects(answer: Answer, rendered: RenderedAnswer) -> Iterator[dict[str, Json]]:
    """The cited sources, once for each position in the text."""
    from chat_ui.rendering.citations.citations import Match, SourceIndex  # noqa: PLC0415

    sources = SourceIndex(answer.data_points)
    placed = [(sources.resolve_label(one.label).key, {"start": one.start, "end": one.end}) for one in answer.citations]
    for cited in rendered.citations:
        named = Match(cited.label, cited.data_point, cited.rule).key
        for place in [place for key, place in placed if key == named] or [{}]:
            yield {"number": cited.number, "label": cited.label, "data_point": cited.data_point, **place}


def _show_rest(answer: Answer) -> None:
    if answer.text and not answer.text.endswith("\n"):
        print(flush=True)
    for one in answer.pictures:
        told = one.url or f"{one.media_type or 'damaged'}, {one.size:,} bytes"
        note(f"Image: {told}. {one.prompt}".rstrip())
    if answer.recorded_at is not None:
        note(f"Note: This answer was recorded on {answer.recorded_at}.")
    if sys.stdout.isatty():
        _show_sources(answer)
    for warning in answer.warnings:
        if warning.code in _SHOWN_WARNINGS:
            note(f"{_SHOWN_WARNINGS[warning.code]}: {warning.detail}.")
    if answer.error is not None:
        note(f"Error: {with_wait(answer.error)}")
        note(pinning_hint(answer.error))


def _show_sources(answer: Answer) -> None:
    citations = _rendered(answer).citations
    if citations:
        print("\nSources")
        for cited in citations:
            found = "" if cited.data_point is not None else "  (not in the sources)"
            print(shown(f"  {cited.number}. {cited.label}{found}", sys.stdout))
    if answer.followup_questions:
        print("\nFollow-up questions")
        for question in answer.followup_questions:
            print(shown(f"  – {question}", sys.stdout))
    pace, timing = answer.characters_per_second, answer.timing
    if timing.first_text is not None and timing.total is not None:
        speed = f", {pace:.0f} characters/s" if pace is not None else ""
        named = label_of(answer.dialect)
        print(f"\n{named}: first text after {timing.first_text:.2f} s, total {timing.total:.2f} s{speed}")
