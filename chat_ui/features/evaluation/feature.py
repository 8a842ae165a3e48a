from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Final

from chat_ui.command_line.arguments import add_backend, add_reading, backend_url, checked, number, seconds
from chat_ui.feature import Command, Feature
from chat_ui.features.evaluation.bounds import parse_bound, worse_measure

_concurrency: Final = number(100, "Questions asked at once are")
_count: Final = number(999_999, "This is")


def _url_or_recording(text: str) -> str | Path:
    path = Path(text)
    if "://" not in text and path.is_file():
        return path
    if "://" not in text and path.suffix == ".jsonl":
        raise argparse.ArgumentTypeError(f"There is no file {text}.")
    return backend_url(text)


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "url",
        type=_url_or_recording,
        metavar="URL",
        help="where the backend answers, such as http://localhost:8000/chat, or the file of a recording",
    )
    command.add_argument("questions", type=Path, metavar="QUESTIONS", help="a file of questions: JSON Lines or CSV")
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder of the run; one that was broken off goes on there",
    )
    command.add_argument("--against", type=Path, metavar="DIR", help="say what changed since the run in this folder")
    command.add_argument("--html", type=Path, metavar="FILE", help="write a report that opens every answer")
    command.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML for continuous integration")
    command.add_argument(
        "--concurrency", type=_concurrency, default=4, metavar="N", help="questions asked at once (default: 4)"
    )
    command.add_argument(
        "--times", type=_count, default=1, metavar="K", help="how often each question is asked (default: 1)"
    )
    command.add_argument("--limit", type=_count, metavar="N", help="ask the first N questions alone")
    command.add_argument("--retry-failed", action="store_true", help="ask again the questions of --out that failed")
    command.add_argument(
        "--fail-if",
        action="append",
        default=[],
        type=checked(parse_bound),
        metavar="BOUND",
        help='exit with 1 where a measure is out of bounds, such as "citation_match<0.9"; can be repeated',
    )
    command.add_argument(
        "--fail-if-worse",
        action="append",
        default=[],
        type=checked(worse_measure),
        metavar="MEASURE",
        help="exit with 1 where a measure got worse than in --against by more than chance explains; can be repeated",
    )
    command.add_argument("--timeout", type=seconds, metavar="S", help="seconds that one whole answer may take")
    add_backend(command)
    add_reading(command)


def _evaluate(options: argparse.Namespace) -> int:
    from chat_ui.features.evaluation.evaluate import evaluate

    return asyncio.run(evaluate(options, options.key))


FEATURE = Feature(
    name="evaluation",
    commands=(
        Command(
            name="evaluate",
            help="ask a set of questions and measure the answers",
            add_options=_add_options,
            run=_evaluate,
        ),
    ),
)
