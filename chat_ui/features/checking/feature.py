"""Conformance of a backend to the protocol."""

from __future__ import annotations

import argparse
import asyncio

from chat_ui.command_line.arguments import add_backend, add_url, question, seconds
from chat_ui.feature import Command, Feature


def _add_options(command: argparse.ArgumentParser) -> None:
    add_url(command)
    add_backend(command)
    command.add_argument(
        "--question",
        type=question,
        default="Hello",
        help="question to ask (default: Hello); use one with sources for a fuller report",
    )
    command.add_argument("--timeout", type=seconds, metavar="S", help="timeout for each answer, in seconds")


def _check(options: argparse.Namespace) -> int:
    from chat_ui.features.checking.check import check_backend

    return asyncio.run(check_backend(options, options.key))


FEATURE = Feature(
    name="checking",
    has_page=True,
    commands=(
        Command(
            name="check",
            help="check a backend against its protocol",
            add_options=_add_options,
            run=_check,
        ),
    ),
)
