"""Answers recorded from real implementations: `<dialect>/<implementation>-<version>-<case>.<sse, lines or json>`.

Each file is the body of a response as received, with long passages cut. The models behind were stand-ins.
"""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent
RECORDED: Final = {
    path.relative_to(_FOLDER).as_posix(): path.read_bytes()
    for path in sorted(_FOLDER.glob("*/*"))
    if path.suffix in {".sse", ".lines", ".json"}
}
"""The bodies by their paths."""
