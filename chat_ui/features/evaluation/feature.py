from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Final

from chat_ui.command_line.arguments import add_asking, add_backend, add_reading, backend_url, checked, number, seconds
from chat_ui.feature import Command, Feature
from chat_ui.features.evaluation.bounds import parse_bound, worse_measure

_concurrency: Final = number(100)
_count: Final = number(999_999)


def _url_or_recording(text: str) -> str | Path:
    path = Path(text)
    if "://" not in text and path.is_file():
        return path
    if "://" not in text and path.suffix == ".jsonl":
        raise argparse.ArgumentTypeError(f"{text} does not exist.")
    return backend_url(text)


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "url",
        type=_url_or_recording,
        metavar="URL",
        help="URL of the backend, such as http://localhost:8000/chat, or a recording file",
    )
    command.add_argument("questions", type=Path, metavar="QUESTIONS", help="questions file: JSON Lines or CSV")
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder of the run; an interrupted run resumes",
    )
    command.add_argument("--against", type=Path, metavar="DIR", help="compare with the run in this folder")
    command.add_argument("--html", type=Path, metavar="FILE", help="write an HTML report with all answers")
    command.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML for continuous integration")
    command.add_argument(
        "--concurrency", type=_concurrency, default=4, metavar="N", help="simultaneous questions (default: 4)"
    )
    command.add_argument(
        "--times", type=_count, default=1, metavar="K", help="repetitions of each question (default: 1)"
    )
    command.add_argument("--limit", type=_count, metavar="N", help="ask only the first N questions")
    command.add_argument("--retry-failed", action="store_true", help="ask the failed questions of --out again")
    command.add_argument(
        "--fail-if",
        action="append",
        default=[],
        type=checked(parse_bound),
        metavar="BOUND",
        help='exit with 1 if a measure is out of bounds, such as "citation_match<0.9"; repeatable',
    )
    command.add_argument(
        "--fail-if-worse",
        action="append",
        default=[],
        type=checked(worse_measure),
        metavar="MEASURE",
        help="exit with 1 if a measure is significantly worse than in --against; repeatable",
    )
    command.add_argument("--timeout", type=seconds, metavar="S", help="timeout for each answer, in seconds")
    add_backend(command)
    add_reading(command)
    add_asking(command)


def _evaluate(options: argparse.Namespace) -> int:
    from chat_ui.features.evaluation.evaluate import evaluate

    return asyncio.run(evaluate(options, options.key))


FEATURE = Feature(
    name="evaluation",
    has_page=True,
    commands=(
        Command(
            name="evaluate",
            help="ask a set of questions and measure the answers",
            add_options=_add_options,
            run=_evaluate,
        ),
    ),
)
