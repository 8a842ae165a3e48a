"""Tells people apart, and refuses other origins first.

Only this module and signing in read cookies. The rest of the app sees a person: a digest in the request's scope, which
clients cannot set. Neither the page nor a store has data to act as another person.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.backends.credential import Tokens, end_of
from chat_ui.conversations.people.person import NAMED, OPERATOR, PERSON, SESSION
from chat_ui.errors import VaultUnavailableError
from chat_ui.languages.translation import translated
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.server.addresses import SIGN_IN

COOKIE: Final = "chat_ui_person"
COOKIE_OVER_TLS: Final = f"__Host-{COOKIE}"
"""Browsers accept a cookie of such a name only from this very host, over TLS: others cannot plant it."""
SESSION_COOKIE: Final = "chat_ui_session"
_MOST_COOKIES: Final = 4
_BITS: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_CREDENTIAL_HEADERS: Final = frozenset({b"cookie", b"authorization"})
Networks: TypeAlias = tuple[IPv4Network | IPv6Network, ...]
_YEAR: Final = 365 * 24 * 3600
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_FOREIGN: Final = msg("This address accepts only requests of its own pages.")
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_FRAMES: Final = frozenset({"iframe", "frame", "embed", "object"})
"""Values of `Sec-Fetch-Dest` for the document of a frame."""
_OF_FOREIGN_FRAMES: Final = frozenset({"cross-site", "same-origin"})
"""Values of `Sec-Fetch-Site` for a document in another site's frame: from that site, or reloaded by our page."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A person who signed in, and the digest of their session."""

    person: str
    session: str


SignIns: TypeAlias = Callable[[str], Awaitable[SignedIn | None]]
"""Gives the person of a session cookie's value; None for an ended session. It may raise `VaultUnavailableError`."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """An authenticating proxy: its addresses, and the headers with the person's name and token."""

    networks: Networks
    identity_header: str
    token_header: str | None = None

    @property
    def headers(self) -> frozenset[bytes]:
        return frozenset(name.lower().encode() for name in (self.identity_header, self.token_header) if name)

    def person(self, headers: Headers) -> str | None:
        """The person that it names; None unless it names exactly one."""
        # Each character of a header is a byte here, so Unicode white space can be the end of a letter.
        names = [name.strip(" \t") for name in headers.getlist(self.identity_header)]
        if len(names) != 1 or not names[0]:
            return None
        return hashlib.sha256(f"proxy:{names[0]}".encode()).hexdigest()

    def token(self, headers: Headers) -> str:
        """The token of the person, without its scheme; else empty."""
        value = headers.get(self.token_header, "") if self.token_header else ""
        return value.removeprefix("Bearer ").strip()


def proxy_at(addresses: Sequence[str], identity_header: str | None, token_header: str | None) -> Proxy | None:
    """The proxy at these addresses or networks; None unless they and the header are given.

    Raises:
        ValueError: an address is invalid.
    """
    if not addresses or not identity_header:
        return None
    return Proxy(networks_of(addresses), identity_header, token_header)


def networks_of(addresses: Sequence[str]) -> Networks:
    """These addresses and networks.

    Raises:
        ValueError: an address is invalid.
    """
    return tuple(ip_network(address, strict=False) for address in addresses)


def comes_from(scope: Scope, networks: Networks) -> bool:
    """Whether the request comes from an address within `networks`."""
    try:
        address = ip_address((scope.get("client") or ("",))[0])
    except ValueError:
        return False
    # A server that listens on IPv6 has the addresses of IPv4 in those of IPv6.
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in network for network in networks)


class Cookies:
    """Makes and verifies values of the cookie: 256 random bits and their signature (HMAC-SHA256 with `secret`), joined
    by a dot. Values with another `label` are those of another cookie.

    A value of a former version lacks a signature, and another secret makes another signature. A known person
    (`is_known`, by stored data) gets such a value signed again with the next page.
    """

    def __init__(
        self, secret: str, is_known: Callable[[str], Awaitable[bool]] | None = None, label: str = "chat_ui cookie"
    ) -> None:
        self._key = hmac.digest(secret.encode(), label.encode(), "sha256")
        self._is_known = is_known

    def new(self) -> str:
        return self._signed(secrets.token_urlsafe(32))

    def person(self, value: str) -> str | None:
        """The person whose browser has this value; None for a value of another origin."""
        bits, _, _ = value.partition(".")
        return _digest(bits) if hmac.compare_digest(value.encode(), self._signed(bits).encode()) else None

    async def renewed(self, value: str) -> str | None:
        """The value with this server's signature; None for an unknown person."""
        bits, _, _ = value.partition(".")
        if self._is_known is None or not _BITS.fullmatch(bits) or not await self._is_known(_digest(bits)):
            return None
        return self._signed(bits)

    def _signed(self, bits: str) -> str:
        signature = hmac.digest(self._key, bits.encode(), "sha256")
        return f"{bits}.{urlsafe_b64encode(signature).rstrip(b'=').decode()}"


class People:
    """ASGI middleware: names the person of each request, and gives a page loaded by a new browser its cookie.

    The cookie is HttpOnly, SameSite=Lax, for a year; over TLS it is Secure, with another name. Browsers keep no such
    cookie for a page in a frame of another site. A page that may be in a frame (`framed`) then gets one that is
    SameSite=None and Partitioned. The browser sends it only within that site, where the person differs from the person
    elsewhere.

    A browser with a session of `sign_ins` is the person who signed in. While sessions cannot be read, it is an unknown
    person without a new cookie.

    Behind an authenticating `proxy` the person is the one that it names, and its token is kept in `tokens`. Both
    headers, and every other header that could carry a credential, end here; only signing in reads cookies. A socket
    without a person is refused: it could show nothing to anybody. Pages under the path `without_cookies` set no cookie.

    A request with the `operator_token` (`Authorization: Bearer TOKEN`) is the operator's.
    """

    def __init__(
        self,
        app: ASGIApp,
        cookies: Cookies,
        proxy: Proxy | None = None,
        tokens: Tokens | None = None,
        *,
        framed: bool = False,
        without_cookies: str | None = None,
        operator_token: str = "",
        sign_ins: SignIns | None = None,
    ) -> None:
        self._app = app
        self._sign_ins = sign_ins
        self._operator_token = operator_token.encode()
        self._cookies = cookies
        self._framed = framed
        self._without_cookies = without_cookies
        self._proxy = proxy
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the person under `PERSON` in its scope, and without the identifying headers."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        values = own_cookies(headers, COOKIE)
        person, named, session = next(filter(None, map(self._cookies.person, values)), None), None, ""
        gives_none = self._without_cookies is not None and f"{scope['path']}/".startswith(f"{self._without_cookies}/")
        try:
            if (found := await self._signed_in(headers)) is not None:
                person, named, session = found.person, found.person, found.session
        except VaultUnavailableError:
            person, gives_none = None, True
        if self._proxy is not None and comes_from(scope, self._proxy.networks):
            named = self._proxy.person(headers)
            person = named or person
            if named is not None and self._tokens is not None:
                token = self._proxy.token(headers)
                self._tokens.keep(named, token, end_of(token, headers.get("x-ms-token-aad-expires-on", "")))
        hidden = _CREDENTIAL_HEADERS | (self._proxy.headers if self._proxy is not None else frozenset())
        if scope["path"].startswith(SIGN_IN):
            hidden -= {b"cookie"}
        inner = {
            **scope,
            "headers": _without(scope["headers"], hidden),
            PERSON: person,
            NAMED: named is not None,
            SESSION: session,
            OPERATOR: self._is_operator(headers),
        }
        if person is not None or (gives_none and scope["type"] == "http"):
            await self._app(inner, receive, send)
        elif scope["type"] == "http":
            await self._app(inner, receive, partial(self._send_with_cookie, headers, values, send))
        else:
            await refuse_socket(receive, send)

    async def _signed_in(self, headers: Headers) -> SignedIn | None:
        if self._sign_ins is not None:
            for value in own_cookies(headers, SESSION_COOKIE):
                if (found := await self._sign_ins(value)) is not None:
                    return found
        return None

    def _is_operator(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        is_theirs = hmac.compare_digest(token.strip().encode(), self._operator_token)
        return scheme.lower() == "bearer" and is_theirs and self._operator_token != b""

    async def _send_with_cookie(self, asked: Headers, values: Sequence[str], send: Send, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("content-type", "").startswith("text/html"):
                value = await self._renewed(values) or self._cookies.new()
                name, secure = (COOKIE_OVER_TLS, "; Secure") if is_secure(asked) else (COOKIE, "")
                is_foreign = self._framed and _may_be_in_foreign_frame(asked)
                sent = "None; Secure; Partitioned" if is_foreign else f"Lax{secure}"
                headers.append("set-cookie", f"{name}={value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite={sent}")
                headers["cache-control"] = "no-store"
        await send(message)

    async def _renewed(self, values: Sequence[str]) -> str | None:
        for value in values:
            if (renewed := await self._cookies.renewed(value)) is not None:
                return renewed
        return None


class OwnOriginOnly:
    """ASGI middleware: only our own pages may open the socket or change anything.

    A browser names the origin of the page that makes such a request. Our own are `origins` and the requested address.
    With `origins` or `loopback_only`, that address must be one of this machine, since a foreign name can resolve to any
    address. Every other origin, including `null`, is refused with 403. A program other than a browser names no origin
    and may go on: without a cookie it is an unknown person.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str] = (), *, loopback_only: bool = True) -> None:
        self._app = app
        self._origins = frozenset(origin_of(origin) for origin in origins) - {""}
        self._loopback_only = loopback_only or bool(self._origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and not self._allowed(scope):
            if scope["type"] == "websocket":
                await refuse_socket(receive, send)
            else:
                await PlainTextResponse(translated(_FOREIGN), status_code=403)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _allowed(self, scope: Scope) -> bool:
        if scope["type"] == "http" and scope["method"] in _SAFE_METHODS:
            return True
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin_of(origin) in self._origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if self._loopback_only and parts.hostname not in _LOOPBACK_NAMES:
            return False
        return parts.netloc != "" and parts.netloc == headers.get("host", "")


async def refuse_socket(receive: Receive, send: Send) -> None:
    """Answer the handshake of a WebSocket with 403."""
    await receive()
    await send({"type": "websocket.close", "code": 4403})


def cookie_values(headers: Headers, cookie: str) -> list[str]:
    """The values of a cookie, among cookies of any form that other apps on the same host set."""
    pairs = [pair.partition("=") for header in headers.getlist("cookie") for pair in header.split(";")]
    return [value.strip(' \t"') for name, _, value in pairs if name.strip(" \t") == cookie][:_MOST_COOKIES]


def own_cookies(headers: Headers, cookie: str) -> list[str]:
    """The values of our own cookie; over TLS only those that others cannot plant."""
    # If a proxy marks only some requests as over TLS, the others are the same person's.
    names = (f"__Host-{cookie}",) if is_secure(headers) else (f"__Host-{cookie}", cookie)
    return [value for name in names for value in cookie_values(headers, name)]


def is_secure(headers: Headers) -> bool:
    """Whether a proxy says that the browser asked over TLS. A client that lies loses only its own cookie."""
    return headers.get("x-forwarded-proto", "").partition(",")[0].strip().lower() == "https"


def _may_be_in_foreign_frame(headers: Headers) -> bool:
    """Whether the document is for a frame that may be another site's; browsers say so to TLS and loopback addresses."""
    return headers.get("sec-fetch-site") in _OF_FOREIGN_FRAMES and headers.get("sec-fetch-dest") in _FRAMES


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def _without(headers: list[tuple[bytes, bytes]], hidden: frozenset[bytes]) -> list[tuple[bytes, bytes]]:
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in hidden and not name.lower().startswith(b"x-ms-token-")
    ]
