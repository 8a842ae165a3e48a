"""The command line: `python -m chat_ui ask URL "question"`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final

from chat_ui.protocol.answer import Answer, AnswerBuilder
from chat_ui.protocol.backend import Backend, Bounds, parse_backend_url
from chat_ui.protocol.clean_text import clean_json, clean_text
from chat_ui.protocol.client import Client
from chat_ui.protocol.dialects import DIALECTS
from chat_ui.protocol.events import CutOff, Json, JsonObject
from chat_ui.protocol.guard import Guard
from chat_ui.protocol.request import ChatRequest, Message

COMPLETE: Final = 0
BACKEND_ERROR: Final = 1
CUT_OFF_OR_UNREACHABLE: Final = 3
INTERRUPTED: Final = 130

_UNREACHABLE: Final = frozenset({"address_refused", "unreachable", "tls", "connection_closed", "timeout", "too_large"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    0: complete; 1: the backend reported an error; 2: bad usage; 3: cut off or unreachable; 130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_ask(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer went away: what is still buffered must not raise again at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COMPLETE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m chat_ui", description="A client of AI chat backends.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = commands.add_parser("ask", help="ask a backend one question and print the answer as it streams")
    ask.add_argument(
        "url", type=_url, metavar="URL", help="where the backend answers, such as http://localhost:8000/chat"
    )
    ask.add_argument("question", type=_question, help="what to ask")
    ask.add_argument("--json", action="store_true", help="print one JSON object at the end")
    ask.add_argument("--no-stream", action="store_true", help="ask for the whole answer at once")
    ask.add_argument(
        "--dialect",
        default="auto",
        choices=["auto", *DIALECTS],
        help="read the answer as this dialect (default: by what arrives)",
    )
    ask.add_argument(
        "--header",
        action="append",
        default=[],
        type=_header,
        metavar='"K: V"',
        help="a header to send; can be repeated",
    )
    ask.add_argument(
        "--overrides", type=_overrides, default={}, metavar="JSON", help="options of the backend, an object"
    )
    ask.add_argument(
        "--policy",
        default="local",
        choices=["public", "local"],
        help="which addresses may be called: those of the public internet, or also this machine's and private "
        "networks' (default)",
    )
    ask.add_argument("--timeout", type=_seconds, metavar="S", help="seconds that the whole answer may take")
    return parser


def _url(text: str) -> str:
    try:
        return parse_backend_url(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _question(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("The question is empty, so nothing was sent.")
    return text


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not name or not name.isascii() or not all(c.isalnum() or c in "!#$%&'*+-.^_`|~" for c in name):
        raise argparse.ArgumentTypeError('A header is written "Name: value".')
    if not value.isascii() or not value.isprintable():
        raise argparse.ArgumentTypeError(f"The value of the header {name} holds characters that cannot be sent.")
    return name, value


def _overrides(text: str) -> JsonObject:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"This is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError('Overrides are a JSON object, such as {"temperature": 0.3}.')
    return value


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("Seconds are a number, such as 30.") from error
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("Seconds are a number above 0.")
    return seconds


async def _ask(options: argparse.Namespace) -> int:
    backend = Backend(
        url=options.url,
        stream=not options.no_stream,
        dialect=options.dialect,
        headers=dict(options.header),
    )
    request = ChatRequest((Message("user", clean_text(options.question)),), overrides=options.overrides)
    builder = AnswerBuilder()
    cut: str | None = None
    async with (
        Client(Bounds(total=options.timeout), guard=Guard(options.policy)) as client,
        aclosing(client.stream(backend, request)) as events,
    ):
        async for event in events:
            _show(builder.add(event), options)
            if isinstance(event, CutOff):
                cut = event.reason
    _show(builder.close(), options)
    answer = builder.answer()
    if options.json:
        encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
        print(json.dumps(answer_object(answer), ensure_ascii=encoding != "utf8"), flush=True)
    else:
        _show_rest(answer, cut)
    return exit_status(answer)


def exit_status(answer: Answer) -> int:
    """The exit status that says how `answer` ended."""
    if answer.error is not None:
        return CUT_OFF_OR_UNREACHABLE if answer.error.code in _UNREACHABLE else BACKEND_ERROR
    return COMPLETE if answer.complete else CUT_OFF_OR_UNREACHABLE


def answer_object(answer: Answer) -> dict[str, Json]:
    """`answer` as the one JSON object that `--json` prints."""
    error, timing = answer.error, answer.timing
    return {
        "text": answer.text,
        "dialect": answer.dialect,
        "complete": answer.complete,
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
            }
            for point in answer.data_points
        ],
        "citations": [
            {"number": number, "label": label, "data_point": data_point}
            for number, label, data_point in _citations(answer)
        ],
        "thoughts": [
            {"title": thought.title, "description": thought.description, "props": thought.props}
            for thought in answer.thoughts
        ],
        "session_state": None if answer.session_state is None else clean_json(answer.session_state.value),
        "warnings": [{"code": warning.code, "detail": warning.detail} for warning in answer.warnings],
        "timing": {
            "first_byte_s": timing.first_byte,
            "first_text_s": timing.first_text,
            "total_s": timing.total,
        },
    }


def _citations(answer: Answer) -> list[tuple[int, str, int | None]]:
    # Rendering takes longer to import than a short answer takes to come.
    from chat_ui.rendering.answers import render_answer  # noqa: PLC0415

    rendered = render_answer(answer.text, answer.data_points)
    return [(citation.number, citation.label, citation.data_point) for citation in rendered.citations]


def _show(text: str, options: argparse.Namespace) -> None:
    if text and not options.json:
        sys.stdout.write(text)
        sys.stdout.flush()


def _show_rest(answer: Answer, cut: str | None) -> None:
    if answer.text and not answer.text.endswith("\n"):
        print(flush=True)
    if sys.stdout.isatty():
        _show_sources(answer)
    if cut is not None:
        print(f"The answer was cut off: {cut}.", file=sys.stderr)
    if answer.error is not None:
        message = answer.error.message
        seconds = answer.error.retry_after
        again = f" (try again in {seconds:g} s)" if seconds is not None else ""
        print(f"Error: {message}{again}", file=sys.stderr)


def _show_sources(answer: Answer) -> None:
    citations = _citations(answer)
    if citations:
        print("\nSources")
        for number, label, data_point in citations:
            found = "" if data_point is not None else "  (not among the sources of this answer)"
            print(f"  {number}. {label}{found}")
    if answer.followup_questions:
        print("\nFollow-up questions")
        for question in answer.followup_questions:
            print(f"  – {question}")


if __name__ == "__main__":
    sys.exit(main())
