from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from chat_ui.feature import Command, Feature
from chat_ui.features.feedback.since import moment
from chat_ui.server.addresses import ANSWERS, FEEDBACK
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.feedback.given_feedback import FeedbackRoutes
    from chat_ui.features.feedback.settings import FeedbackSettings

    chosen = FeedbackSettings.of(services.settings)
    is_on, is_read = chosen.feedback, chosen.feedback_token is not None
    routes = FeedbackRoutes(services.conversations, services.renderings, has_token=is_read)
    return Served(
        routes=lambda: {ANSWERS: routes.of_answers() if is_on else [], FEEDBACK: routes.files()},
        paint=lambda: Paint(options={"feedback": is_on, "feedback_is_read": is_read}),
        operator_token=chosen.feedback_token,
    )


def _add_options(command: argparse.ArgumentParser) -> None:
    form = command.add_mutually_exclusive_group()
    form.add_argument("--jsonl", action="store_true", help="JSON Lines, input for evaluate (default)")
    form.add_argument("--csv", action="store_true", help="CSV for spreadsheets, also input for evaluate")
    command.add_argument(
        "--since",
        type=_moment,
        default=0.0,
        metavar="DATE",
        help="only changes since this date, such as 2026-11-23 or 2026-11-23T08:00:00+01:00 (default zone: UTC)",
    )
    command.add_argument("--config", type=Path, metavar="FILE", help="settings file of the server")


def _moment(text: str) -> float:
    try:
        return moment(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("must be a date such as 2026-11-23 or 2026-11-23T08:00:00+01:00") from error


def _export(options: argparse.Namespace) -> int:
    from chat_ui.features.feedback.feedback_export import export_feedback

    return asyncio.run(export_feedback(options))


FEATURE = Feature(
    name="feedback",
    settings="FeedbackSettings",
    has_page=True,
    serve=_serve,
    commands=(
        Command(name="feedback", help="print users' feedback on answers", add_options=_add_options, run=_export),
    ),
)
