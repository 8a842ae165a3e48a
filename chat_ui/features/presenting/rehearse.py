"""`rehearse`: asks the questions of a script in a conversation, and reports problems of the answers."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from functools import partial
from typing import Final

from chat_ui.command_line.arguments import asked_backend, pinning, pinning_hint
from chat_ui.command_line.ask import answer_object
from chat_ui.command_line.terminal import Waiting, note, print_json, shown
from chat_ui.features.presenting.errors import ScriptError
from chat_ui.features.presenting.rehearsal import Rehearsed, rehearse
from chat_ui.features.presenting.script import read_script
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, Bounds, ChatRequest
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording_format import header_for
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Guard

ALL_WELL: Final = 0
SOMETHING_WRONG: Final = 1
UNUSABLE: Final = 2
UNREACHABLE: Final = 3


async def rehearse_script(options: argparse.Namespace, key: str | None) -> int:
    """Ask, print and return the exit status. Statuses: 0 without problems, 1 problems, 2 unusable script or recording
    file, 3 unreachable.
    """
    try:
        steps = read_script(options.script).step
    except ScriptError as problem:
        note(str(problem))
        return UNUSABLE
    backend = asked_backend(options, key)
    with ExitStack() as recording:
        async with AsyncClient(Bounds(total_timeout=options.timeout), guard=Guard(options.policy)) as plain:
            client = pinning(plain, options)
            if options.record is not None:
                try:
                    recorder = recording.enter_context(Recorder(options.record, header_for(backend), on_failure=note))
                except RecordingError as problem:
                    note(str(problem))
                    return UNUSABLE
                client = client.with_transport(lambda inner: RecordingTransport(inner, recorder))
            done = await rehearse(
                steps,
                options.overrides,
                partial(_answer, client, backend),
                within=options.within,
                on_step=(lambda *_: None) if options.json else _show,
            )
    if options.json:
        print_json(_as_json(done, len(steps), options.within))
    else:
        _show_verdict(done, len(steps))
    error = done[0].answer.error
    if error is not None:
        note(pinning_hint(error))
    if all(one.is_unreachable for one in done):
        return UNREACHABLE
    return SOMETHING_WRONG if any(one.problems for one in done) else ALL_WELL


async def _answer(client: AsyncClient, backend: Backend, request: ChatRequest) -> Answer:
    with Waiting("Asking") as waiting:
        answer, _ = await answer_anywhere(client, backend, request, on_request=waiting.note)
    return answer


def _show(number: int, done: Rehearsed) -> None:
    print(shown(f"{number}. {done.step.question}", sys.stdout))
    first, total = done.answer.timing.first_text, done.answer.timing.total
    if first is not None and total is not None:
        cited = f"{_count(done.citations, 'citation')} of {_count(done.sources, 'source')}"
        print(f"   first text after {first:.2f} s, total {total:.2f} s, {cited}")
    for problem in done.problems:
        print(shown(f"   ! {problem.words}", sys.stdout))
    sys.stdout.flush()


def _show_verdict(done: list[Rehearsed], steps: int) -> None:
    well = sum(not one.problems for one in done)
    words = "No problems found." if well == steps else f"{steps - well} of {_count(steps, 'question')} had problems."
    print(
        f"\n{words}" if len(done) == steps else "\nThe backend is not reachable, so the other questions were not asked."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _as_json(done: list[Rehearsed], steps: int, within: float) -> JsonObject:
    return {
        "all_well": len(done) == steps and not any(one.problems for one in done),
        "within_s": within,
        "steps": [
            {
                "question": one.step.question,
                "open": one.step.open,
                "problems": [{"code": problem.fault, "words": problem.words} for problem in one.problems],
                "answer": answer_object(one.answer),
            }
            for one in done
        ],
    }
