"""Signing in and out over HTTP.

`GET /api/sign-in?to=PAGE&backend=ID` leads to the provider, whose answer to `GET /callback` returns to our page `to`.
With `backend`, the scopes include that of an operator's backend.

`GET /me` is `{"state": "in" | "out" | "proxy", "name", "required", "bring", "tag"}`. `bring` counts the conversations
from before the sign-in, and `tag` changes with the person. `POST /bring` takes `{"bring": BOOL}`: bring these
conversations and the keys of that time along, or delete them; until then, each sign-in of the person offers them.
`POST /out` signs out and returns `{"to": URL}`: a page of the provider that ends its own session, else our page.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from chat_ui.backends.personal_choices import operator_profile_id
from chat_ui.conversations.people.person import is_named, person_of, session_of
from chat_ui.errors import LimitReachedError, StillAnsweringError, StoreUnavailableError, VaultError
from chat_ui.features.signing_in.errors import ProviderError
from chat_ui.features.signing_in.provider import Provider
from chat_ui.features.signing_in.sessions import Session, Sessions
from chat_ui.features.signing_in.settings import SigningInSettings
from chat_ui.features.signing_in.sign_in_flow import FLOW_SECONDS, SignInFlow, SignInResult, with_query
from chat_ui.page.routes.bodies import json_of
from chat_ui.page.routes.owned import NO_STORE, for_person, text_response
from chat_ui.protocol.translatable import msg
from chat_ui.server.addresses import CONVERSATION, SIGN_IN
from chat_ui.server.middleware.identity import COOKIE, SESSION_COOKIE, is_secure, own_cookies
from chat_ui.server.services import Services

_FLOW_COOKIE: Final = "chat_ui_sign_in"
_LAST_COOKIE: Final = "chat_ui_last"
"""The cookie with the tag of the last person who signed in with this browser."""
_YEAR: Final = 365 * 24 * 3600
_HEADERS: Final = {**NO_STORE, "Referrer-Policy": "no-referrer"}
"""The address of a callback has a code."""


class SignInRoutes:
    def __init__(self, services: Services, provider: Provider, flow: SignInFlow, sessions: Sessions) -> None:
        self._backends, self._conversations = services.backends, services.conversations
        self._origins = [origin.rstrip("/") for origin in services.settings.origins]
        self._provider, self._flow, self._sessions = provider, flow, sessions
        self._is_required = SigningInSettings.of(services.settings).sign_in == "required"

    def routes(self) -> list[Route]:
        return [
            Route(SIGN_IN, self._begin),
            Route(f"{SIGN_IN}/callback", self._callback),
            Route(f"{SIGN_IN}/me", for_person(self._me)),
            Route(f"{SIGN_IN}/out", self._out, methods=["POST"]),
            Route(f"{SIGN_IN}/bring", for_person(self._bring), methods=["POST"]),
        ]

    async def _begin(self, request: Request) -> Response:
        asked, sealed = request.query_params, _own_cookie(request, _FLOW_COOKIE)
        scopes = {operator_profile_id(one): one.token_scope for one in self._backends.offer.operator_profiles}
        callback = f"{self._origin(request)}{SIGN_IN}/callback"
        scope = scopes.get(asked.get("backend", ""), "")
        url, sealed = await self._flow.begin(asked.get("to", ""), callback, scope, sealed)
        response = RedirectResponse(url, 303, _HEADERS)
        _set_cookie(request, response, _FLOW_COOKIE, sealed, FLOW_SECONDS)
        return response

    async def _callback(self, request: Request) -> Response:
        result = await self._flow.finish(request.query_params, _own_cookie(request, _FLOW_COOKIE))
        try:
            value, person = await self._begun(request, result)
        except VaultError:
            value, person, result = "", "", replace(result, outcome="unavailable")
        # Signed in already: the callback was loaded again.
        if result.outcome == "expired" and session_of(request):
            result = replace(result, outcome="in")
        response = RedirectResponse(result.address, 303, _HEADERS)
        _set_cookie(request, response, _FLOW_COOKIE, result.sealed, FLOW_SECONDS)
        if person:
            if _own_cookie(request, _LAST_COOKIE) not in ("", _tag(person)):
                response.headers["Clear-Site-Data"] = '"storage"'
            for name, kept in ((SESSION_COOKIE, value), (_LAST_COOKIE, _tag(person)), (COOKIE, "")):
                _set_cookie(request, response, name, kept, _YEAR)
        return response

    async def _begun(self, request: Request, result: SignInResult) -> tuple[str, str]:
        """The value of a new session's cookie, and its person; empty for a result without claims.

        The former session of this browser ends. An open conversation from before the sign-in comes along, and keys as
        well if no other conversation is left to ask about.
        """
        if result.claims is None or result.tokens is None:
            return "", ""
        before = "" if is_named(request) else person_of(request)
        value = await self._sessions.begin(result.claims, result.tokens, result.scope, before)
        begun = await self._sessions.signed_in(value)
        await self._end(session_of(request))
        conversation = urlsplit(result.to).path.partition(f"{CONVERSATION}/")[2]
        person = begun.person if begun is not None else ""
        if before and person:
            lists = self._conversations.lists
            with suppress(StillAnsweringError, LimitReachedError, StoreUnavailableError):
                if conversation:
                    await lists.hand_over(before, person, only=conversation)
                if not await lists.stored.count(before):
                    await self._backends.vault.hand_over(before, person)
        return value, person

    async def _me(self, request: Request, person: str) -> Response:
        session = await self._session(request)
        if session is None:
            return me("out", person, is_required=self._is_required)
        bring = sum([await self._conversations.lists.stored.count(one) for one in _before(session)])
        return me("in", person, session.name or session.subject, bring, is_required=self._is_required)

    async def _out(self, request: Request) -> Response:
        session = None
        with suppress(VaultError):
            session = await self._end(session_of(request))
        to = await self._goodbye(request, session) if session is not None else "/"
        response = JSONResponse({"to": to}, headers=_HEADERS)
        # The page has cleared its storage, so that the next person's text is their own.
        for name in (SESSION_COOKIE, _LAST_COOKIE):
            _set_cookie(request, response, name, "", 0)
        return response

    async def _bring(self, request: Request, person: str) -> Response:
        wanted, session = await json_of(request, 100), await self._session(request)
        if not (isinstance(wanted, dict) and isinstance(wanted.get("bring"), bool)):
            return text_response(msg("Send whether to bring the conversations along."), 400)
        if session is not None:
            try:
                for before in _before(session):
                    if wanted["bring"]:
                        await self._hand_over(before, person)
                    else:
                        await self._conversations.lists.delete_all(before)
                        async with self._backends.vault.in_turn(before) as keys:
                            keys.clear()
            except StillAnsweringError:
                return text_response(msg("An answer is still being written. Wait until it ends."), 409)
            await self._sessions.answered(session.id)
        return Response(status_code=204)

    async def _hand_over(self, owner: str, to: str) -> None:
        await self._conversations.lists.hand_over(owner, to)
        await self._backends.vault.hand_over(owner, to)

    async def _session(self, request: Request) -> Session | None:
        return await self._sessions.find(found) if (found := session_of(request)) else None

    async def _end(self, session_id: str) -> Session | None:
        """End a session and close its pages. The things from before it wait for the person's next session."""
        ended = await self._sessions.end(session_id) if session_id else None
        if ended is not None:
            self._conversations.sign_out(ended.id)
            if ended.before:
                with suppress(StillAnsweringError, LimitReachedError, StoreUnavailableError, VaultError):
                    await self._hand_over(ended.before, _waiting(ended.person))
        return ended

    async def _goodbye(self, request: Request, session: Session) -> str:
        """The provider's page that ends its session (OpenID Connect RP-Initiated Logout 1.0), else our page."""
        with suppress(ProviderError):
            if url := (await self._provider.metadata()).urls["end_session_endpoint"]:
                hint = {"id_token_hint": session.id_token} if session.id_token else {}
                ours = {"client_id": self._provider.client_id, "post_logout_redirect_uri": f"{self._origin(request)}/"}
                return with_query(url, {**ours, **hint})
        return "/"

    def _origin(self, request: Request) -> str:
        """The requested origin if the operator named it, else the first named one, else the requested one."""
        host = request.headers.get("host", "").lower()
        asked = f"{'https' if is_secure(request.headers) else request.url.scheme}://{host}"
        return next((one for one in self._origins if urlsplit(one).netloc.lower() == host), [*self._origins, asked][0])


def me(state: str, person: str, name: str = "", bring: int = 0, *, is_required: bool = False) -> Response:
    about = {"state": state, "name": name, "required": is_required, "bring": bring, "tag": _tag(person)}
    return JSONResponse(about, headers=NO_STORE)


async def me_of_proxy(request: Request, person: str) -> Response:
    return me("proxy" if is_named(request) else "out", person)


def _before(session: Session) -> list[str]:
    """The owners of the things from before the person's sessions."""
    return [one for one in (session.before, _waiting(session.person)) if one]


def _waiting(person: str) -> str:
    """The owner of things from before ended sessions of the person."""
    return hashlib.sha256(f"before {person}".encode()).hexdigest()


def _tag(person: str) -> str:
    return hashlib.sha256(person.encode()).hexdigest()[:16]


def _own_cookie(request: Request, name: str) -> str:
    return next(iter(own_cookies(request.headers, name)), "")


def _set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Set the cookie for `seconds`, or delete it if `value` is empty."""
    prefix, secure = ("__Host-", "; Secure") if is_secure(request.headers) else ("", "")
    kept = f"{prefix}{name}={value}; Path=/; Max-Age={seconds if value else 0}; HttpOnly; SameSite=Lax{secure}"
    response.headers.append("set-cookie", kept)
