"""Prints the figures of the project's size beside their bounds: `python -m tools.scale`.

The exit status is 1 if a figure is above its bound. Lower a bound when its figure shrinks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

from chat_ui.feature import settings_of
from chat_ui.installed import FEATURES

ROOT: Final = Path(__file__).parents[1]
BOUNDS: Final = {
    "chat_ui: lines of Python": 68_234,
    "chat_ui: modules": 486,
    "chat_ui: lines of JavaScript and JSX": 13_488,
    "chat_ui: lines of CSS": 6_574,
    "chat_ui: messages": 1_296,
    "chat_ui: lines of catalogues": 53_552,
    "chat_ui: settings": 62,
    "tests: lines of Python, JavaScript and TypeScript": 66_963,
    "tools: lines of Python": 2_605,
}
"""The maximum of each figure."""


def figures() -> dict[str, int]:
    """The figures by the names of `BOUNDS`, counted in tracked and new files."""
    python = _contents("chat_ui", ".py")
    catalogues = _contents("chat_ui", ".po")
    return {
        "chat_ui: lines of Python": _lines(python),
        "chat_ui: modules": len(python),
        "chat_ui: lines of JavaScript and JSX": _lines(_contents("chat_ui", ".js", ".jsx")),
        "chat_ui: lines of CSS": _lines(_contents("chat_ui", ".css")),
        # Exclude the header of a catalogue.
        "chat_ui: messages": max(catalogue.count(b"\nmsgid ") - 1 for catalogue in catalogues),
        "chat_ui: lines of catalogues": _lines(catalogues),
        "chat_ui: settings": len(settings_of(FEATURES).model_fields),
        "tests: lines of Python, JavaScript and TypeScript": _lines(_contents("tests", ".py", ".js", ".ts")),
        "tools: lines of Python": _lines(_contents("tools", ".py")),
    }


def _contents(folder: str, *endings: str) -> list[bytes]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    files = {ROOT / name for name in listed.stdout.split("\0") if name.endswith(endings)}
    return [file.read_bytes() for file in files if file.exists()]


def _lines(contents: list[bytes]) -> int:
    return sum(content.count(b"\n") for content in contents)


def main() -> int:
    found = figures()
    print(f"{'':50}{'now':>10}{'at most':>10}")
    for what, bound in BOUNDS.items():
        print(f"{what:50}{found[what]:>10,}{bound:>10,}{'  above' * (found[what] > bound)}")
    return int(any(found[what] > bound for what, bound in BOUNDS.items()))


if __name__ == "__main__":
    sys.exit(main())
