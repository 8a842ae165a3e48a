"""The parts of the page, in rooms: each component has its script beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import reflex as rx
from reflex.constants import Dirs
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

_ROOMS: Final = Path(__file__).parent
_LINKED: Final = Path(Dirs.EXTERNAL_APP_ASSETS, *__name__.split("."))


def link_scripts() -> None:
    """Have Reflex build the page with the scripts of all rooms, which lie in the page as they lie here.

    A server that builds no page does without: `rx.asset` looks through the stack for each, most of a second in all.
    """
    for script in sorted(_ROOMS.glob("*/*.js*")):
        room = Path(Dirs.APP_ASSETS, _LINKED, script.parent.name)
        room.mkdir(parents=True, exist_ok=True)
        rx.asset(f"{script.parent.name}/{script.name}", shared=True)


def script(name: str) -> str:
    """The path that the page imports a script by, of its `ROOM/FILE`."""
    return f"$/public/{_LINKED.as_posix()}/{name}"


def imported(name: str, tag: str) -> rx.Var:
    """The export `tag` of the script `ROOM/FILE`."""
    return rx.Var(tag, _var_data=VarData(imports={script(name): [ImportVar(tag=tag)]}))
