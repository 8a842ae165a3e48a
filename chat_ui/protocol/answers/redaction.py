"""Removal of a request's credentials from everything that is shown or kept of its answer."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import methodcaller
from typing import Final
from urllib.parse import unquote_plus, urlsplit

from chat_ui.protocol.clean_text import MAX_DEPTH
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.text_places import Places
from chat_ui.protocol.translatable import with_each_text

_SHORTEST: Final = 6
"""Characters that make a word of a header a credential in an error: shorter words occur in any text."""
_SHORTEST_IN_PROSE: Final = 16
"""The same in the text of an answer, whose words must not be lost."""
_NAMES_SECRET: Final = re.compile(r"(?:key|password|secret|token|connection_?string)\Z", re.IGNORECASE)
SUGGESTS_SECRET: Final = re.compile(
    r"key|pass|pwd|secret|token|auth|code|sig|cookie|session|cred|jwt|ticket", re.IGNORECASE
)
"""Words in the names of headers and query parameters that carry a credential."""
_SECRET_PAIR: Final = re.compile(r"(?<![^&;=])(?P<name>[^&;=]+)=(?P<value>[^&;]*)")
_NO_CREDENTIAL: Final = re.compile(
    r"(?:accept|content|if|sec)-.*|accept|user-agent|cache-control|pragma|connection|keep-alive|host|origin|date|dnt|te"
    r"|expect|range|upgrade|via|prefer|priority|max-forwards|transfer-encoding|traceparent|x-requested-with",
    re.IGNORECASE,
)
"""Headers with another meaning in the standards (RFC 9110 and related ones)."""
_SCHEMES: Final = frozenset({"basic", "bearer", "digest", "dpop", "negotiate", "token", "apikey", "api-key", "key"})
"""Names of authentication schemes, which precede a credential (RFC 9110, 11.1)."""
_PLAIN_WORDS: Final = re.compile(r"(?:(?:[A-Z]?[a-z]{1,12}|[A-Z]{1,12}|\d{1,4})(?:[-_./:,;]+|\Z))+")
_MAX_NESTING: Final = 16
_NO_BODY: Final[JsonObject] = {}


class Secrets:
    """The credentials of a request, each list with the longest first.

    `in_reports` is for errors, warnings and records of an exchange: all words that may be credentials. A header may
    carry one unless the standards give it another meaning. A value of the query or the body may where its name says so.

    `in_prose` is for the text of an answer, whose words must not be lost. Short words do not count. A word of a header
    that reads like prose or a file name counts only if the header's name suggests a credential.

    `in_request` is for the request's own body, where a person's words stay: every credential of the address and the
    body.

    `in_recordings` is for files that people pass on: `in_request`, and short words of headers that suggest a credential
    or do not read like prose.
    """

    __slots__ = ("in_prose", "in_recordings", "in_reports", "in_request")

    def __init__(self, headers: Mapping[str, str], url: str = "", body: JsonObject = _NO_BODY) -> None:
        sent = [credential for name, value in headers.items() for credential in _credentials(name, value)]
        named = {*_secrets_in_query(url), *_secrets_in_body(body, 0)}
        long = [(name, word) for name, word in sent if len(word) >= _SHORTEST]
        keys = {word for name, word in long if SUGGESTS_SECRET.search(name) or not _PLAIN_WORDS.fullmatch(word)}
        in_prose = {word for word in keys if len(word) >= _SHORTEST_IN_PROSE}
        self.in_reports = _longest_first(named | {word for _, word in long})
        self.in_prose = _longest_first(in_prose | {value for value in named if len(value) >= _SHORTEST_IN_PROSE})
        self.in_request = _longest_first(in_prose | named)
        self.in_recordings = _longest_first(keys | named)


def _longest_first(words: set[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=len, reverse=True))


def _credentials(name: str, value: str) -> list[tuple[str, str]]:
    """The words of a header's value that may be credentials, each with its name: the header's, or a cookie's."""
    if _NO_CREDENTIAL.fullmatch(name):
        return []
    scheme, *rest = value.split() or [""]
    words = [(name, word) for word in (rest if rest and scheme.lower() in _SCHEMES else value.split())]
    if value[:6].lower() == "basic ":
        return words + [(name, part) for part in _in_basic(value[6:])]
    if name.lower() != "cookie":
        return words
    pairs = (pair.partition("=") for pair in value.split(";"))
    return words + [(cookie.strip(), meant.strip().strip('"')) for cookie, _, meant in pairs]


def _in_basic(encoded: str) -> list[str]:
    """The password in the credentials of the scheme Basic, without and with the user's name (RFC 7617)."""
    try:
        pair = b64decode(encoded, validate=True).decode()
    except ValueError:
        return []
    return [pair, pair.partition(":")[2]]


def _secrets_in_query(url: str) -> set[str]:
    """Values whose names say that they are credentials, as the code of an Azure function, escaped and decoded."""
    pairs = (pair.partition("=") for pair in urlsplit(url).query.split("&"))
    written = {value for name, _, value in pairs if SUGGESTS_SECRET.search(unquote_plus(name))}
    return {value for value in written | {unquote_plus(value) for value in written} if len(value) >= _SHORTEST}


def url_without_secrets(url: str) -> str:
    """`url` with an ellipsis for each value in its query whose name says that it is a credential."""
    beginning, mark, rest = url.partition("?")
    query, hash_mark, fragment = rest.partition("#")
    return f"{beginning}{mark}{_SECRET_PAIR.sub(_without_value, query)}{hash_mark}{fragment}"


def without_query(url: str) -> str:
    """`url` for messages: without query and fragment, which may contain credentials."""
    return url.partition("#")[0].partition("?")[0]


def _without_value(pair: re.Match[str]) -> str:
    return f"{pair['name']}=…" if SUGGESTS_SECRET.search(unquote_plus(pair["name"])) else pair.group()


def _secrets_in_body(value: Json, depth: int) -> set[str]:
    if depth > _MAX_NESTING:
        return set()
    if isinstance(value, Mapping):
        named = {
            entry
            for name, entry in value.items()
            if isinstance(entry, str) and len(entry) >= _SHORTEST and _NAMES_SECRET.search(name)
        }
        return named.union(*(_secrets_in_body(entry, depth + 1) for entry in value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return set().union(*(_secrets_in_body(entry, depth + 1) for entry in value))
    return set()


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """`text` with an ellipsis in place of each of `secrets`."""
    for secret in secrets:
        if secret in text:
            text = with_each_text(text, methodcaller("replace", secret, "…"))
    return text


def object_without_secrets(value: JsonObject, secrets: Sequence[str]) -> JsonObject:
    """`value` with an ellipsis for each of `secrets` in its strings and names; null where nested too deeply."""
    return with_each_string(value, partial(without_secrets, secrets=secrets))


def with_each_string(value: JsonObject, change: Callable[[str], str], depth: int = 0) -> JsonObject:
    """`value` with `change` made in its strings and names; values nested too deeply are null."""

    def changed(entry: Json, depth: int) -> Json:
        if isinstance(entry, str):
            return change(entry)
        if not isinstance(entry, Mapping | Sequence):
            return entry
        if depth > MAX_DEPTH:
            return None
        if isinstance(entry, Mapping):
            return with_each_string(entry, change, depth)
        return [changed(item, depth + 1) for item in entry]

    return {change(key): changed(entry, depth + 1) for key, entry in value.items()}


def without_named_secrets(value: Json, names: re.Pattern[str] = _NAMES_SECRET, depth: int = 0) -> Json:
    """`value` with an ellipsis for each text under one of `names`, however short. Values nested too deeply are null."""
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return value
    if depth > MAX_DEPTH:
        return None
    if not isinstance(value, Mapping):
        return [without_named_secrets(entry, names, depth + 1) for entry in value]
    return {
        name: "…" if isinstance(entry, str) and names.search(name) else without_named_secrets(entry, names, depth + 1)
        for name, entry in value.items()
    }


def names_secret(name: str) -> bool:
    """Whether the name of a value or a header says that it is a credential."""
    return _NAMES_SECRET.search(name) is not None


class SecretFilter:
    """Takes `secrets`, the longest first, out of a text in pieces; a possible beginning at the end is kept back.
    `places` maps characters of the pieces to the output.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._held = ""
        self._read = 0
        self.places = Places()

    def feed(self, piece: str) -> str:
        """The text that is free of secrets for certain, with `piece`."""
        if not self._secrets:
            return piece
        came = self._held + piece
        text = without_secrets(came, self._secrets)
        if text is not came:
            for found in re.finditer("|".join(map(re.escape, self._secrets)), came):
                self.places.cut(self._read + found.end(), len(found[0]) - 1)
        end = min(_beginning(secret, text) for secret in self._secrets)
        self._held = text[end:]
        self._read += len(came) - len(self._held)
        return text[:end]

    def close(self) -> str:
        """The text kept back so far."""
        held, self._held = self._held, ""
        return held


def _beginning(secret: str, text: str) -> int:
    """The index in `text` of an end that is also a beginning of `secret`; else the length of `text`."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(text[at:]):
            return at
        at = text.find(secret[0], at + 1)
    return len(text)
