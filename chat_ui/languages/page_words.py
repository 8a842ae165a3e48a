"""What the page's scripts say in a language, as the page takes it.

The document brings what is said at once. What is said by scripts that load when they are needed comes from an address
of its own. A message is named by a short hash of its English, which both sides compute.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from typing import Final

from chat_ui.languages.language import Language

_OFFSET: Final = 0x811C9DC5
_PRIME: Final = 0x01000193
_KEY_BITS: Final = 24


def key(message: str) -> str:
    """Four characters that stand for a message: FNV-1a over its code points, folded to 24 bits, as base64."""
    found = _OFFSET
    for character in message:
        found = (found ^ ord(character)) * _PRIME & 0xFFFFFFFF
    folded = (found >> _KEY_BITS) ^ (found & (1 << _KEY_BITS) - 1)
    return b64encode(folded.to_bytes(_KEY_BITS // 8)).decode()


@cache
def at_once(language: Language, folder: str) -> str:
    """JSON of what the document brings: the words, which plural form is whose, and where in `folder` the others are."""
    said = language.sayings
    address = f"{folder}/{language.tag}.json?{version(language)}" if said.later else None
    return _json({**_words(language, said.at_once), "forms": said.forms, "later": address})


@cache
def later(language: Language) -> str:
    """JSON of the words of scripts that load when they are needed."""
    return _json(_words(language, language.sayings.later))


@cache
def version(language: Language) -> str:
    """What changes with the later words of a language."""
    return hashlib.sha256(later(language).encode()).hexdigest()[:8]


def _words(language: Language, messages: Iterable[str]) -> dict[str, object]:
    """The keys of messages in a row, and beside them each message, as a list where it has several forms."""
    said = {key(message): language.sayings.messages[message] for message in sorted(messages)}
    return {"keys": "".join(said), "said": [forms[0] if len(forms) == 1 else forms for forms in said.values()]}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
