"""Taking the addresses of backends out of what strangers read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from chat_ui.protocol.translatable import with_each_text

_SCHEME: Final = r"(?:https?(?:://|%3A%2F%2F))?"
_COLON: Final = r"(?::|%3A)"
_BEGINS: Final = r"(?:(?<![\w-])|(?<=%2F)|(?<=%3D)|(?<=%40))"
_ENDS: Final = r"(?![\w-])"
_AFTER_SLASHES: Final = r"(?:(?<=//)|(?<=%2F%2F))"
_IN_NO_TEXT: Final = re.compile(r"(?!)")
_USUAL: Final = (80, 443)


class HiddenAddresses:
    """The `origins` of backends, each with its port such as `https://example.com:443`, wherever a text names them: with
    a scheme or none, with a port or none, as they are or escaped in a query, in any case of letters. A host without a
    dot may be a word like others, and is one of them only with its port, or after `//` where its port is a usual one.
    """

    def __init__(self, origins: Iterable[str]) -> None:
        forms = sorted(map(_form, origins), key=len, reverse=True)
        self._named = re.compile("|".join(forms), re.IGNORECASE) if forms else _IN_NO_TEXT

    def stand_in(self, text: str) -> bool:
        """Whether the text names one of them."""
        return self._named.search(text) is not None

    def out_of(self, text: str) -> str:
        """The text with an ellipsis in place of each."""
        return with_each_text(text, partial(self._named.sub, "…"))


def _form(origin: str) -> str:
    parts = urlsplit(origin)
    host = re.escape(parts.netloc.rpartition(":")[0])
    if "." in host or ":" in host:
        return rf"{_SCHEME}{_BEGINS}{host}(?:{_COLON}\d{{1,5}})?{_ENDS}"
    with_port = rf"{_SCHEME}{_BEGINS}{host}{_COLON}{parts.port}{_ENDS}"
    after_slashes = rf"{_SCHEME}{_AFTER_SLASHES}{host}(?!{_COLON}\d){_ENDS}"
    return f"{with_port}|{after_slashes}" if parts.port in _USUAL else with_port
