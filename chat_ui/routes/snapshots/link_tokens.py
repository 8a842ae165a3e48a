"""The tokens in the addresses of shared links."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import Final

_BYTES: Final = 24


class LinkTokens:
    """Makes tokens of 192 bits from the random ids of snapshots, with `secret`.

    A token is in no store, which has a digest of it: what was read from a store or a backup opens no link. The owner
    gets the same link again for as long as the secret is the same. With another one, links that were given away still
    open, as they are found by their digests.
    """

    def __init__(self, secret: str) -> None:
        self._key = hmac.digest(secret.encode(), b"chat_ui links", "sha256")

    def token(self, snapshot_id: str) -> str:
        """The token of a snapshot."""
        return urlsafe_b64encode(hmac.digest(self._key, snapshot_id.encode(), "sha256")[:_BYTES]).decode()


def new_id() -> str:
    """An id for a snapshot, of 128 random bits."""
    return secrets.token_urlsafe(16)


def digest_of(token: str) -> str:
    """What the store knows of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
