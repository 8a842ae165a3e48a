"""How the scripts beside the components come into the page."""

from __future__ import annotations

from pathlib import Path

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData


def linked_scripts(package: str) -> dict[str, str]:
    """Link every script beside the `__init__.py` of this path, whose own code calls this.

    Returns the path to import each by, by its file name. Packages lie beside each other in the page as they do here, so
    that a script finds those of other packages by relative paths.
    """
    linked = {}
    for script in sorted(Path(package).parent.glob("*.js*")):
        linked[script.name] = rx.asset(script.name, shared=True, _stack_level=2).importable_path
    return linked


def imported(script: str, name: str) -> rx.Var:
    """What the script that is imported by this path exports under `name`."""
    return rx.Var(name, _var_data=VarData(imports={script: [ImportVar(tag=name)]}))
