"""The signature of a delivery, as Standard Webhooks has it (https://www.standardwebhooks.com)."""

from __future__ import annotations

import binascii
import hmac
from base64 import b64decode, b64encode
from typing import Final

_OF_BASE64: Final = "whsec_"
_FEWEST_BYTES: Final = 16


def signing_key(secret: str) -> bytes:
    """The key in a secret: base64 after `whsec_`, else the secret itself in UTF-8.

    Raises:
        ValueError: what follows `whsec_` is no base64 of 16 bytes or more; the message holds nothing of it.
    """
    if not secret.startswith(_OF_BASE64):
        return secret.encode()
    try:
        key = b64decode(secret.removeprefix(_OF_BASE64), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < _FEWEST_BYTES:
        raise ValueError(f"after {_OF_BASE64}, a secret is base64 of {_FEWEST_BYTES} bytes or more")
    return key


def signature(key: bytes, delivery_id: str, seconds: int, body: bytes) -> str:
    """The header `webhook-signature` of a body that is sent so many seconds after 1970."""
    content = b".".join((delivery_id.encode(), str(seconds).encode(), body))
    return f"v1,{b64encode(hmac.digest(key, content, 'sha256')).decode()}"
