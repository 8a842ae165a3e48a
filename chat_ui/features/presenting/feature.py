from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chat_ui.command_line.arguments import add_backend, add_reading, backend_url, seconds
from chat_ui.feature import Command, Feature
from chat_ui.server.addresses import NOTES, SCRIPTS
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services

_WITHIN: Final = 10.0


def _serve(services: Services) -> Served:
    from chat_ui.features.presenting.routes import NotesRoutes, ScriptRoutes
    from chat_ui.features.presenting.script import read_script
    from chat_ui.features.presenting.settings import PresentingSettings

    path = PresentingSettings.of(services.settings).script
    script = read_script(path) if path is not None else None
    return Served(
        routes=lambda: {
            "": NotesRoutes(services.brand.title, NOTES).routes(),
            SCRIPTS: ScriptRoutes(script, services.uploads).routes(),
        }
    )


def _add_serve_options(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("--script", type=Path, metavar="FILE", help="TOML file of questions for presenting")


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("script", type=Path, metavar="SCRIPT", help="TOML file of questions for presenting")
    command.add_argument(
        "--backend", dest="url", type=backend_url, required=True, metavar="URL", help="URL of the backend"
    )
    add_backend(command)
    add_reading(command)
    command.add_argument(
        "--within",
        type=seconds,
        default=_WITHIN,
        metavar="S",
        help=f"maximum seconds to the first text of an answer (default: {_WITHIN:g})",
    )
    command.add_argument("--timeout", type=seconds, metavar="S", help="timeout for each answer, in seconds")
    command.add_argument("--record", type=Path, metavar="FILE", help="record the answers to this file")


def _rehearse(options: argparse.Namespace) -> int:
    from chat_ui.features.presenting.rehearse import rehearse_script

    return asyncio.run(rehearse_script(options, options.key))


FEATURE = Feature(
    name="presenting",
    settings="PresentingSettings",
    add_serve_options=_add_serve_options,
    has_page=True,
    serve=_serve,
    commands=(
        Command(
            name="rehearse",
            help="ask every question of a script and report problems",
            add_options=_add_options,
            run=_rehearse,
        ),
    ),
)
