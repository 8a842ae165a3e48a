"""The parts of the page, in rooms: each component has its script and its stylesheet beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import reflex as rx
from reflex.constants import Dirs
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

_ROOMS: Final = Path(__file__).parent
_LINKED: Final = Path(Dirs.EXTERNAL_APP_ASSETS, *__name__.split("."))
_OVERRULED: Final = ("markup", "shared")


def link_files() -> None:
    """Have Reflex build the page with the scripts and stylesheets of all rooms, which lie in the page as they lie here.

    A server that builds no page does without: `rx.asset` looks through the stack for each, most of a second in all.
    """
    for file in sorted([*_ROOMS.glob("*/*.js*"), *_ROOMS.glob("*/*.css")]):
        room = Path(Dirs.APP_ASSETS, _LINKED, file.parent.name)
        room.mkdir(parents=True, exist_ok=True)
        rx.asset(f"{file.parent.name}/{file.name}", shared=True)


def stylesheets() -> list[str]:
    """The stylesheets of all rooms in the order of the cascade, each as Reflex names it; the build makes them one file.
    Without those that a script beside them imports, which come with that script.

    `markup` and `shared` come first, so that the other rooms may overrule them. Those come by name, and no sheet of one
    overrules a sheet of another with a selector that is as specific.
    """
    at_once = [sheet for sheet in _ROOMS.glob("*/*.css") if not _is_imported(sheet)]
    sheets = sorted(at_once, key=lambda sheet: (sheet.parent.name not in _OVERRULED, sheet))
    return [f"/{(_LINKED / sheet.relative_to(_ROOMS)).as_posix()}" for sheet in sheets]


def _is_imported(sheet: Path) -> bool:
    named = f'from "./{sheet.name}?inline";'
    return any(named in beside.read_text(encoding="utf-8") for beside in sheet.parent.glob("*.jsx"))


def script(name: str) -> str:
    """The path that the page imports a script by, of its `ROOM/FILE`."""
    return f"$/public/{_LINKED.as_posix()}/{name}"


def imported(name: str, tag: str) -> rx.Var:
    """The export `tag` of the script `ROOM/FILE`."""
    return rx.Var(tag, _var_data=VarData(imports={script(name): [ImportVar(tag=tag)]}))
