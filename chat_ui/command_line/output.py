"""What commands print on standard output."""

from __future__ import annotations

import json
import sys

from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.events import JsonObject


def print_json(value: JsonObject) -> None:
    """Print one JSON object, with letters beyond ASCII where the encoding of the output has them."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    print(json.dumps(clean_json(value), ensure_ascii=encoding != "utf8"), flush=True)
