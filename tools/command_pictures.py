"""Takes the pictures of the command line in the documents: `python -m tools.command_pictures`.

Each is real terminal output with the demo backend on loopback, drawn as SVG.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text
from starlette.applications import Starlette
from starlette.routing import Mount

from chat_ui.features.demo.app import demo_app
from chat_ui.features.demo.settings import DemoSettings
from tests.features.demo.serving import serving
from tools.screenshots import OUTPUT

COLUMNS = 130
QUESTION = "How much parental leave do I get?"
# The drawing would load its font from the network; use a font of the reader's machine.
_FONT_FACE = re.compile(r"@font-face \{\{.*?\}\}", re.DOTALL)


def printed(*arguments: str) -> str:
    """The terminal output of a command."""
    leader, follower = pty.openpty()
    shown = bytearray()

    def read() -> None:
        while True:
            try:
                data = os.read(leader, 65536)
            except OSError:
                return
            shown.extend(data)

    reading = threading.Thread(target=read)
    process = subprocess.Popen(
        [sys.executable, "-m", "chat_ui", *arguments], stdout=follower, stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "100"},
    )  # fmt: skip
    os.close(follower)
    reading.start()
    process.wait(120)
    reading.join(10)
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


def draw(name: str, command: str, output: str) -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    console.print(Text(f"$ {command}", style="bold"))
    console.print(Text.from_ansi(output))
    from rich._export_format import CONSOLE_SVG_FORMAT

    svg = console.export_svg(
        title="", theme=DIMMED_MONOKAI, code_format=_FONT_FACE.sub("", CONSOLE_SVG_FORMAT), unique_id=name
    )
    (OUTPUT / f"{name}.svg").write_text(svg)


def main() -> None:
    app = Starlette(routes=[Mount("/demo", demo_app(DemoSettings(demo_delay=0.01)))])
    with serving(app) as base:
        for name, words in (
            ("ask", ["ask", f"{base}/demo/chat", QUESTION]),
            ("check", ["check", f"{base}/demo/chat", "--question", QUESTION]),
        ):
            shown = " ".join(f'"{word}"' if " " in word else word for word in words).replace(
                base, "http://localhost:3000"
            )
            draw(name, f"python -m chat_ui {shown}", printed(*words))


if __name__ == "__main__":
    main()
