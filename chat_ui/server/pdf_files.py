"""The files that pdf.js loads when a document needs them: character maps, fonts, decoders, colour profiles."""

from __future__ import annotations

import json
from shutil import copytree, ignore_patterns
from typing import Any, Final

from reflex.plugins import Plugin

_FOLDERS: Final = ("cmaps", "standard_fonts", "wasm", "iccs")
_UNUSED: Final = ignore_patterns("quickjs*", "*QUICKJS")
"""The interpreter of scripts in documents, which the page does not run."""


class PdfFiles(Plugin):
    """Copies them from the npm package into the built page, to a folder that is named after the version."""

    def post_build(self, **context: Any) -> None:
        """Copy the files."""
        page = context["static_dir"]
        package = page.parents[1] / "node_modules" / "pdfjs-dist"
        version = json.loads((package / "package.json").read_text("utf-8"))["version"]
        for folder in _FOLDERS:
            copytree(package / folder, page / "assets" / f"pdfjs-{version}" / folder, ignore=_UNUSED)
