"""An OpenID Connect provider that forges what a test asks for. A certified one is behind the walks in a browser."""

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from joserfc.jws import JWSRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SECRET = "s+%:" * 10
_LENIENT = JWSRegistry(algorithms=["RS256", "ES256"], strict_check_header=False)
_Json = dict[str, Any]


@cache
def key(kid: str, algorithm: str) -> Any:
    parameters: Any = {"kid": kid, "use": "sig", "alg": algorithm}
    return RSAKey.generate_key(2048, parameters) if algorithm == "RS256" else ECKey.generate_key("P-256", parameters)


def _encoded(value: _Json) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def unsigned(header: _Json, claims: _Json) -> str:
    """A token with `alg: none`."""
    return f"{_encoded({**header, 'alg': 'none'})}.{_encoded(claims)}."


def by_public_key(header: _Json, claims: _Json) -> str:
    """A token with HS256, whose secret is the public key."""
    signed = f"{_encoded({**header, 'alg': 'HS256'})}.{_encoded(claims)}"
    public = key(header["kid"], header["alg"]).as_pem(private=False)
    mac = hmac.digest(public, signed.encode(), "sha256")
    return f"{signed}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def by_key(signer: Any, **more: Any) -> Callable[[_Json, _Json], str]:
    """Sign with this key, whatever the header says, and with `more` in the header."""
    return lambda header, claims: jwt.encode({**header, **more}, claims, signer, registry=_LENIENT)


class StandInProvider:
    """Serve `.app`. A test may change the attributes at any time:

    metadata: replaces members of the discovery document; None takes one out.
    kids, algorithm: the keys at /jwks; the first one signs.
    sign: makes a token of a header and claims, such as `unsigned`.
    person, claims: the `sub` of the person who signs in next, and further claims of the ID token; None takes one out.
    userinfo: claims of the userinfo endpoint besides `sub`.
    response: replaces members of the answer of the token endpoint; None takes one out.
    skew, lifetime: seconds by which the clock is fast, and those of an access token.
    wait, raw: seconds before each answer, and `(status, body, headers)` in place of each.
    clients: secrets by ID; an empty one is public. `grants`: accepted refresh tokens.
    calls: requests by path. `forms`: those to the token endpoint.
    """

    def __init__(self, issuer: str = "https://id.example/realms/staff") -> None:
        self.issuer = issuer
        self.metadata: _Json = {}
        self.kids, self.algorithm = ["key-1"], "ES256"
        self.sign: Callable[[_Json, _Json], str] | None = None
        self.person = "anna"
        self.claims: _Json = {"name": "Anna Example"}
        self.userinfo: _Json = {}
        self.response: _Json = {}
        self.skew, self.lifetime = 0, 3600
        self.wait = 0.0
        self.raw: dict[str, tuple[int, bytes, dict[str, str]]] = {}
        self.clients = {"chat": "", "secret chat+": SECRET}
        self.calls: Counter[str] = Counter()
        self.forms: list[_Json] = []
        self.grants: dict[str, _Json] = {}
        self._codes: dict[str, _Json] = {}
        paths = {
            "/.well-known/openid-configuration": self._discovery, "/jwks": self._jwks, "/token": self._token,
            "/userinfo": self._userinfo,
        }  # fmt: skip
        base = urlsplit(issuer).path.rstrip("/")
        self.app = Starlette(routes=[self._route(f"{base}{path}", path, serve) for path, serve in paths.items()])

    def _route(self, at: str, path: str, serve: Callable[[Request], Any]) -> Route:
        async def answer(request: Request) -> Response:
            self.calls[path] += 1
            await asyncio.sleep(self.wait)
            if path in self.raw:
                status, body, headers = self.raw[path]
                return Response(body, status, headers)
            return await serve(request)

        return Route(at, answer, methods=["GET", "POST"])

    def answer_to(self, url: str) -> dict[str, str]:
        """The query of the callback after the person signed in at `url`, an authorization request."""
        asked = dict(parse_qsl(urlsplit(url).query))
        code = secrets.token_urlsafe(16)
        self._codes[code] = {**asked, "sub": self.person}
        return {"code": code, "state": asked["state"], "iss": self.issuer}

    def id_token(self, subject: str, client: str, nonce: str | None) -> str:
        now = int(time.time()) + self.skew
        claims = {
            "iss": self.issuer, "sub": subject, "aud": client, "iat": now, "exp": now + 300, "nonce": nonce,
            **self.claims,
        }  # fmt: skip
        header = {"alg": self.algorithm, "kid": self.kids[0]}
        sign = self.sign or by_key(key(self.kids[0], self.algorithm))
        return sign(header, {name: value for name, value in claims.items() if value is not None})

    async def _discovery(self, _: Request) -> Response:
        at = self.issuer.rstrip("/")
        found = {
            "issuer": self.issuer, "authorization_endpoint": f"{at}/authorize", "token_endpoint": f"{at}/token",
            "jwks_uri": f"{at}/jwks", "userinfo_endpoint": f"{at}/userinfo",
            "end_session_endpoint": f"{at}/logout", "response_types_supported": ["code", "id_token"],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True,
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            **self.metadata,
        }  # fmt: skip
        return JSONResponse({name: value for name, value in found.items() if value is not None})

    async def _jwks(self, _: Request) -> Response:
        return JSONResponse(KeySet([key(kid, self.algorithm) for kid in self.kids]).as_dict(private=False))

    async def _token(self, request: Request) -> Response:
        form: _Json = dict(parse_qsl((await request.body()).decode()))
        scheme, _, pair = request.headers.get("authorization", "").partition(" ")
        self.forms.append({**form, "by": scheme or ("post" if "client_secret" in form else "none")})
        if scheme:
            named, _, secret = b64decode(pair).decode().partition(":")
            form |= {"client_id": unquote_plus(named), "client_secret": unquote_plus(secret)}
        if self.clients.get(form["client_id"]) != form.get("client_secret", ""):
            return JSONResponse({"error": "invalid_client"}, 401)
        if form["grant_type"] == "refresh_token":
            # A reused token revokes all tokens of its sign-in, as RFC 9700, 4.14.2 has it.
            if (grant := self.grants.pop(form["refresh_token"], None)) is None:
                self.grants.clear()
        elif grant := self._codes.pop(form.get("code", ""), None):
            challenge = urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
            if (grant["code_challenge"], grant["redirect_uri"]) != (challenge.decode(), form["redirect_uri"]):
                grant = None
        if grant is None or grant["client_id"] != form["client_id"]:
            return JSONResponse({"error": "invalid_grant", "error_description": "<b>gone</b>"}, 400)
        nonce = grant["nonce"] if form["grant_type"] != "refresh_token" else None
        scope = form.get("scope", grant["scope"])
        self.grants[refresh := secrets.token_urlsafe(16)] = grant
        audience = next((one.rpartition("/")[0] for one in scope.split() if "://" in one), "chat")
        about = {"sub": grant["sub"], "aud": audience, "n": secrets.token_urlsafe(8)}
        access = by_key(key("of access", "ES256"))({"alg": "ES256"}, about)
        answer = {
            "access_token": access, "token_type": "Bearer", "expires_in": self.lifetime, "refresh_token": refresh,
            "scope": scope, "id_token": self.id_token(grant["sub"], form["client_id"], nonce), **self.response,
        }  # fmt: skip
        return JSONResponse({name: value for name, value in answer.items() if value is not None})

    async def _userinfo(self, request: Request) -> Response:
        claims = json.loads(urlsafe_b64decode(request.headers["authorization"].split(".")[1] + "=="))
        return JSONResponse({"sub": claims["sub"], **self.userinfo})
