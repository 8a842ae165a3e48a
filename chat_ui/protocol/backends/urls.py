"""The address of a backend as a person types it."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit

import httpx2

from chat_ui.protocol.errors import InvalidBackendError
from chat_ui.protocol.translatable import msg

_WITHOUT_SCHEME = re.compile(
    r"(?:(?P<name>[^/?#:@\[\]%]+)|\[(?P<address>[\da-fA-F:.]+)\])(?P<port>:\d{1,5})?(?=[/?#]|\Z)"
)
_OF_A_NETWORK = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
"""Endings of host names for which authorities issue no certificates."""


def with_scheme(text: str) -> str:
    """`text` with http:// before a host of this machine or its network, and https:// before any other host."""
    begins = _WITHOUT_SCHEME.match(text)
    if begins is None:
        return text
    name = (begins["name"] or "").lower()
    try:
        is_near = not ip_address(begins["address"] or name).is_global
    except ValueError:
        if not (begins["port"] or "." in name or name == "localhost"):
            return text
        is_near = "." not in name or name.endswith(_OF_A_NETWORK)
    return f"{'http' if is_near else 'https'}://{text}"


def parse_backend_url(text: str) -> str:
    """The URL of a backend as a person typed it, checked, without white space around it and without a fragment; see
    `with_scheme`.

    Raises:
        InvalidBackendError: it is not an http or https URL with a host; the words are for the person.
    """
    text = text.strip()
    if not text:
        raise InvalidBackendError(msg("Enter the address of a backend, such as http://localhost:8000/chat."))
    if re.search(r"[\x00-\x20\x7f\\]", text):
        raise InvalidBackendError(msg("The address contains spaces, backslashes or control characters. Remove them."))
    text = with_scheme(text)
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname
        httpx2.URL(text)
    except (ValueError, httpx2.InvalidURL) as error:
        raise InvalidBackendError(
            msg("The address is not valid. Enter one such as http://localhost:8000/chat.")
        ) from error
    if parts.scheme not in {"http", "https"}:
        if not parts.scheme or "://" not in text:
            raise InvalidBackendError(msg("Start the address with http:// or https://."))
        raise InvalidBackendError(
            msg("Only http:// and https:// addresses work here, not {scheme}://.", scheme=parts.scheme)
        )
    if not host:
        raise InvalidBackendError(msg("The address has no host. Enter one such as http://localhost:8000/chat."))
    if parts.username is not None or parts.password is not None:
        raise InvalidBackendError(msg("Remove the user name and password from the address."))
    if port == 0:
        raise InvalidBackendError(msg("Port 0 cannot be called. Enter another port."))
    return urlunsplit(parts._replace(fragment=""))
