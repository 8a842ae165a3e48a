"""A search for secrets in a text that is about to leave: an export, a snapshot, a recording.

`redaction` takes out the secrets that were sent. The secrets here are unknown: a document may quote a key, and a person
may have typed one. The forms are those that the issuers document. The library detect-secrets reads files line by line
with settings of the whole process, and its last release is of May 2024.

The time is linear in any text: each repetition is bounded or possessive.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from chat_ui.protocol.translatable import Translatable, msg

API_KEY: Final = msg("API key")
BEARER_TOKEN: Final = msg("bearer token")
JSON_WEB_TOKEN: Final = msg("JSON Web Token")
PRIVATE_KEY: Final = msg("private key")
CONNECTION_STRING: Final = msg("key of a connection string")
PASSWORD_IN_ADDRESS: Final = msg("password in an address")
SIGNATURE: Final = msg("key or signature in an address")
PASSWORD: Final = msg("password")
NAMED_SECRET: Final = msg("value named like a secret")

_SURROUNDINGS: Final = 40
"""Characters before and after a secret that show its place."""
_MIN_BITS: Final = 3.0
"""Bits of Shannon entropy for each character of a random key, at least: 16 hexadecimal digits have about 3.2."""
_MIN_RANDOM: Final = 16
"""Characters of a value that is judged by its entropy."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`text[start:end]` looks like a secret of this `kind`: English words that can be translated."""

    kind: Translatable
    start: int
    end: int


_PLAIN_WORDS: Final = re.compile(r"[A-Za-z_]*+(?:[-.:/][A-Za-z_]*+)*+")
_NAMES: Final = re.compile(r"(?:[A-Za-z_]++|\d{1,4})?(?:[-.:/,](?:[A-Za-z_]++|\d{1,4})?)*+")
"""Words and years with signs between them, as in the names of files."""
_NUMBER: Final = re.compile(r"[\d.,:/-]*+")
_PLACEHOLDER: Final = re.compile(
    r"(?:your|my|the|example|sample|dummy|changeme|placeholder|redacted|password|passwd|secret|hidden|null|none|undefined"
    r"|xxx|\*\*\*|\.\.\.|…|•••|<|\$|%|\{|\[|\()",
    re.IGNORECASE,
)
_CODE: Final = frozenset("()[]{}<>")
_API_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-(?:[a-z0-9]{2,8}-){0,3}[A-Za-z0-9_-]{20,256}+"
    r"|(?:sk|rk|pk|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{20,128}+"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|gh[opsur]_[A-Za-z0-9]{30,255}+|github_pat_[A-Za-z0-9_]{22,255}+|gl(?:pat|dt|rt|soat)-[A-Za-z0-9_-]{20,255}+"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,255}+|xapp-[A-Za-z0-9-]{20,255}+"
    r"|AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{20,512}+"
    r"|(?:hf|gsk|npm|r8|nvapi|tvly|xai|pplx|fw|lsv2|dop_v1|shpat|ghapp|vercel|pat)[_-][A-Za-z0-9_-]{28,256}+"
    r"|SG\.[A-Za-z0-9_-]{16,64}+\.[A-Za-z0-9_-]{16,64}+|pypi-[A-Za-z0-9_-]{50,512}+|dapi[a-f0-9]{32}"
    r"|[A-Za-z0-9]{42}AzSe[A-Z][A-Za-z0-9]{5}(?![A-Za-z0-9])|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,40}+"
    r")"
)
_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,.\\]{0,20000}+"
    r"(?:-----END [A-Z0-9 ]{0,40}-----)?"
)
_JSON_WEB_TOKEN: Final = re.compile(
    r"(?<![\w-])eyJ[\w-]{8,4096}+\.[\w-]{8,16384}+\.[\w-]{0,2048}+(?:(?>\.[\w-]{1,16384}+)){0,2}+"
)
_BEARER: Final = re.compile(r"(?<!\w)bearer\s{1,4}([\w.~+/-]{16,8192}+={0,3}+)", re.IGNORECASE)
_AUTHORIZATION: Final = re.compile(
    r"(?<!\w)authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|token|apikey|digest)\s{1,4}([\w.~+/-]{8,8192}+={0,3}+)",
    re.IGNORECASE,
)
_ACCOUNT_KEY: Final = re.compile(
    r"(?:AccountKey|SharedAccessKey|SharedAccessSignature|InstrumentationKey)\s?=\s?([^;\s\"'<>`]{16,1024}+)",
    re.IGNORECASE,
)
_PART_OF_CONNECTION: Final = re.compile(r";\s?(?:password|pwd)\s?=\s?([^;\s\"'<>`]{3,256}+)", re.IGNORECASE)
_PASSWORD_IN_ADDRESS: Final = re.compile(
    r"(?<=[a-z0-9])://[^\s/?#@:\"'<>]{0,200}+:([^\s/?#@\"'<>]{3,300}+)@", re.IGNORECASE
)
_SIGNATURE: Final = re.compile(
    r"(?:[?&;#])(?:sig|signature|code|key|token|auth|apikey|api[_-]key|access[_-](?:token|key)|id_token|refresh_token"
    r"|client_secret|subscription-key|x-(?:amz|goog)-(?:signature|credential|security-token))="
    r"([^&\s\"'<>#`)\]]{12,4096}+)",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:(?P<password>passwor[dt]|passwort|kennwort|passwd|passphrase|pwd|mot de passe|contraseña)|api[ _-]?key"
    r"|(?:access|account|private|master|subscription|signing|encryption)[ _-]?key"
    r"|secret|token|credential|connection[ _-]?string)"
    r"(?:[ _-](?:key|value|id))?[\"'`\])*]{0,3}\s{0,4}(?:=>|:=|[:=]|\bis\b|\bist\b|\best\b)\s{0,4}[\"'`*]{0,3}"
    r"(?P<value>[^\s\"'`<>,;*|]{6,512}+)",
    re.IGNORECASE,
)


def scan(text: str) -> Sequence[Finding]:
    """The suspected secrets in `text`, in order, without overlaps; overlapping ones get the kind of the first."""
    found = sorted(_found(text), key=lambda finding: (finding.start, -finding.end))
    apart: list[Finding] = []
    for finding in found:
        if apart and finding.start < apart[-1].end:
            first = apart.pop()
            apart.append(Finding(first.kind, first.start, max(first.end, finding.end)))
        else:
            apart.append(finding)
    return apart


def veiled(text: str, findings: Iterable[Finding]) -> str:
    """`text` with an ellipsis in place of each of `findings`, which are in order."""
    pieces, at = [], 0
    for finding in findings:
        pieces += [text[at : finding.start], "…"]
        at = finding.end
    return "".join([*pieces, text[at:]])


def surroundings(text: str, findings: Sequence[Finding], index: int) -> str:
    """The words around finding number `index`, on one line, with an ellipsis in place of it and of its neighbours."""
    first, last = findings[index].start - _SURROUNDINGS, findings[index].end + _SURROUNDINGS
    lowest, highest = index, index + 1
    while lowest and findings[lowest - 1].end > first:
        lowest -= 1
    while highest < len(findings) and findings[highest].start < last:
        highest += 1
    start = max(0, min(first, findings[lowest].start))
    end = max(last, findings[highest - 1].end)
    near = [Finding(one.kind, one.start - start, one.end - start) for one in findings[lowest:highest]]
    return " ".join(veiled(text[start:end], near).split())


def _found(text: str) -> Iterable[Finding]:
    for kind, pattern, is_secret in _FORMS:
        for match in pattern.finditer(text):
            group = 1 if pattern.groups else 0
            if is_secret(match[group]):
                yield Finding(kind, *match.span(group))
    for match in _NAMED.finditer(text):
        is_password = match["password"] is not None
        if (_is_password if is_password else _is_random)(match["value"]):
            yield Finding(PASSWORD if is_password else NAMED_SECRET, *match.span("value"))


def _is_plain(value: str) -> bool:
    """Whether the value is a word of prose, the name of a variable, a number or a placeholder."""
    if _PLACEHOLDER.match(value) or (_PLAIN_WORDS.fullmatch(value) and not _is_mixed(value)):
        return True
    return _NUMBER.fullmatch(value) is not None


def _is_mixed(value: str) -> bool:
    """Whether letters change between small and capital more often than in a name."""
    changes = sum(1 for one, other in pairwise(value) if one.islower() and other.isupper())
    return changes * 6 > len(value) and "." not in value and "_" not in value


def _is_random(value: str) -> bool:
    if len(value) < _MIN_RANDOM or _is_plain(value) or _CODE & set(value):
        return False
    return (_is_mixed(value) or not _NAMES.fullmatch(value)) and _bits(value) >= _MIN_BITS


def _is_password(value: str) -> bool:
    return not _is_plain(value.rstrip(".!?)")) and "(" not in value and "://" not in value


def _bits(value: str) -> float:
    """Shannon entropy of a character of `value`, in bits."""
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * math.log2(share) for share in shares)


def _is_written_out(value: str) -> bool:
    return not _is_plain(value)


def _is_no_placeholder(value: str) -> bool:
    return not _PLACEHOLDER.match(value)


_FORMS: Final[tuple[tuple[Translatable, re.Pattern[str], Callable[[str], object]], ...]] = (
    (PRIVATE_KEY, _PRIVATE_KEY, bool),
    (JSON_WEB_TOKEN, _JSON_WEB_TOKEN, bool),
    (API_KEY, _API_KEY, _is_random),
    (BEARER_TOKEN, _BEARER, _is_written_out),
    (BEARER_TOKEN, _AUTHORIZATION, _is_written_out),
    (CONNECTION_STRING, _ACCOUNT_KEY, _is_written_out),
    (CONNECTION_STRING, _PART_OF_CONNECTION, _is_no_placeholder),
    (PASSWORD_IN_ADDRESS, _PASSWORD_IN_ADDRESS, _is_no_placeholder),
    (SIGNATURE, _SIGNATURE, _is_random),
)
"""The forms of secrets: the secret is the first group, or the whole match, if it passes the test."""
