"""Output of commands: text without control sequences, and JSON."""

from __future__ import annotations

import json
import re
import sys
from typing import IO, Final

from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.events import JsonObject

_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSEEN: Final = "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Characters that reorder others, or that are not seen."""
_MARKED: Final = {True: re.compile(f"[{_CONTROL}{_UNSEEN}]"), False: re.compile(f"[{_CONTROL}]")}
_ESCAPED: Final = re.compile(f"[\x7f-\x9f{_UNSEEN}]")


def shown(text: str, stream: IO[str]) -> str:
    """`text` fit for `stream`: a mark such as `<U+001B>` stands for each character that could move the cursor or change
    a terminal, and on a terminal for those that reorder letters or are not seen.
    """
    return _MARKED[stream.isatty()].sub(lambda found: f"<U+{ord(found.group()):04X}>", text)


def print_json(value: JsonObject) -> None:
    """Print one JSON object, with letters beyond ASCII where the output is UTF-8."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    text = json.dumps(clean_json(value), ensure_ascii=encoding != "utf8")
    print(_ESCAPED.sub(lambda found: json.dumps(found.group())[1:-1], text), flush=True)
