"""The scripts and stylesheets of the page, which are in the folders of their parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Self

import reflex as rx
from reflex.constants import Dirs
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

_PACKAGE: Final = Path(__file__).parents[1]
_LINKED: Final = Path(Dirs.EXTERNAL_APP_ASSETS, _PACKAGE.name)
_FOLDERS: Final = ("rendering", "backends/*", "features/*/page", "page/*")
_OVERRULED: Final = ("rendering", "markup", "shared")


def link_files() -> None:
    """Have Reflex build the page with all scripts and stylesheets, in the same folders. A server without a build does
    not need this.
    """
    for file in _files("*.js*", "*.css"):
        link = Path(Dirs.APP_ASSETS, _LINKED, file.relative_to(_PACKAGE))
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink() or link.readlink() != file:
            link.unlink(missing_ok=True)
            link.symlink_to(file)


def stylesheets() -> list[str]:
    """All stylesheets in cascade order, as Reflex names them; the build bundles them.

    Stylesheets that a script imports are part of that script. The tokens, `markup` and `shared` come first, so that
    other folders can override them. Other folders are ordered by name, and do not override each other with equally
    specific selectors.
    """
    at_once = [sheet for sheet in _files("*.css") if not _is_imported(sheet)]
    sheets = sorted(at_once, key=lambda sheet: sheet.parent.name not in _OVERRULED)
    return [f"/{(_LINKED / sheet.relative_to(_PACKAGE)).as_posix()}" for sheet in sheets]


def _files(*patterns: str) -> list[Path]:
    return [
        file for folder in _FOLDERS for pattern in patterns for file in sorted(_PACKAGE.glob(f"{folder}/{pattern}"))
    ]


def _is_imported(sheet: Path) -> bool:
    named = f'from "./{sheet.name}?inline";'
    return any(named in beside.read_text(encoding="utf-8") for beside in sheet.parent.glob("*.jsx"))


class Scripted(rx.Component):
    """A component of a script, which exports it under the name of its class."""

    @classmethod
    def create(cls, *children: Any, **props: Any) -> Self:
        return super().create(*children, tag=cls.__name__, **props)


def script(name: str) -> str:
    """The import path of a script, from its path in the package: `page/thread/thread.jsx`."""
    return f"$/public/{_LINKED.as_posix()}/{name}"


def imported(name: str, tag: str) -> rx.Var:
    """The export `tag` of the script at a path in the package."""
    return rx.Var(tag, _var_data=VarData(imports={script(name): [ImportVar(tag=tag)]}))
