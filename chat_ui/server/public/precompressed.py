"""Text that is the same for everybody: compressed once, and cached by browsers."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

FOR_GOOD: Final = "public, max-age=31536000, immutable"
"""The caching of files with a hash of their content in their names (RFC 8246)."""
_REFUSED: Final = re.compile(r"\s*q=0(\.0*)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Precompressed:
    """A text to send: plain, and compressed by gzip."""

    plain: bytes
    packed: bytes
    etag: str

    @classmethod
    def of(cls, text: str) -> Precompressed:
        plain = text.encode()
        return cls(plain, gzip.compress(plain, mtime=0), f'"{hashlib.sha256(plain).hexdigest()[:32]}"')

    def response(self, request: Request, media_type: str, headers: Mapping[str, str]) -> Response:
        own = {**headers, "ETag": self.etag}
        if self.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=own)
        if not takes_gzip(request.headers.get("accept-encoding", "")):
            return Response(self.plain, media_type=media_type, headers=own)
        return Response(self.packed, media_type=media_type, headers={**own, "Content-Encoding": "gzip"})


def takes_gzip(accepted: str) -> bool:
    return any(
        coding.strip().lower() == "gzip" and not _REFUSED.fullmatch(weight)
        for coding, _, weight in (one.partition(";") for one in accepted.split(","))
    )
