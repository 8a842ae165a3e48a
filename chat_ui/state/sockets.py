"""The socket of each page: whose it is, and which of the events that come over it are heard.

A client chooses everything that it sends: its token, the names and arguments of events, what it remembers in its
storage. So the person of a socket is the one whom the server named in the request that opened it; a token is a page's
own name within that person's pages, and leads to no other person's; and an event is heard where a page of ours can
have sent it. Nothing that was sent stands in the log.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import logging
import re
import secrets
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, get_type_hints
from urllib.parse import parse_qs, urlencode

import reflex as rx
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, field_validator
from reflex.app import EventNamespace
from reflex.constants import CompileVars, RouteVar
from reflex.event import EventSpec
from reflex.state import (
    BaseState,
    FrontendEventExceptionState,
    OnLoadInternalState,
    State,
    UpdateVarsInternalState,
)
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.registry import RegistrationContext
from socketio.exceptions import ConnectionRefusedError as SocketRefusedError

from chat_ui.conversations.people.person import person_of
from chat_ui.profiles.choices import LONGEST_STORED
from chat_ui.settings import settings
from chat_ui.telemetry.logs import REQUEST_HEADER

logger = logging.getLogger(__name__)

EVENTS_AT_ONCE: Final = 200
"""Events of one person in this process that are heard at once."""
EVENTS_A_SECOND: Final = 20.0
"""Events of one person that are heard within a second in the long run, further ones wait; opening a socket counts for
five.
"""
UNREAD: Final = 32
"""Changes that a page need not have read yet; where there are more, its socket is closed."""
LONGEST_TEXT: Final = LONGEST_STORED
"""Characters of what is typed into one field; a question has a limit of its own."""
LONGEST_ADDRESS: Final = 20_000
"""Characters of the address of a page."""

_CONNECTING: Final = 5
_OF_PAGES: Final = {"event": 1, "ping": 1, "client_error": 1}
"""The events of a page, and how many values go with each at most."""
_OF_SERVER: Final = {"connect": 2, "disconnect": 1}
_SID: Final = "chat_ui.sid"
_NO_EVENT: Final = "it is no event"
_LEFT_KEPT: Final = 10_000
_PEOPLE_COUNTED: Final = 10_000
_HEADERS: Final = frozenset({"host", "origin", REQUEST_HEADER})
_LONGEST_TOKEN: Final = 100
_OWN: Final = __name__.partition(".")[0]
_SCHEMA: Final = re.compile(r"[0-9a-f]{1,64}")

_SENT_BY_REFLEX: Final = frozenset(
    f"{state.get_full_name()}.{name}"
    for state, name in (
        (State, "hydrate_and_load"),
        (OnLoadInternalState, "on_load_internal"),
        (UpdateVarsInternalState, "update_vars_internal"),
        (FrontendEventExceptionState, "handle_frontend_exception"),
    )
)

_people: Final[dict[str, str]] = {}
"""The person of each socket, by the socket's id. What came over it may be dealt with after it was closed."""
_left: Final[OrderedDict[str, None]] = OrderedDict()


class _Location(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", str_max_length=LONGEST_ADDRESS)

    pathname: str = ""
    asPath: str = ""  # noqa: N815 - Reflex's name
    query: dict[str, str | list[str] | None] = {}

    @field_validator("query")
    @classmethod
    def _is_of_an_address(cls, query: dict[str, Any]) -> dict[str, Any]:
        if len(str(query)) > 2 * LONGEST_ADDRESS:
            raise ValueError
        return query


_STRICT: Final = ConfigDict(strict=True, extra="forbid", str_max_length=LONGEST_TEXT)


_LONG: Final = {"question": Annotated[str, Field(max_length=2 * settings().question_characters)]}
"""The arguments that may be longer than what is typed into a field. A question that is too long is refused in words."""


class NobodyError(Exception):
    """A page's socket was closed long ago, or is one of another process."""


def person_at(state: BaseState) -> str:
    """The person whose page has this state, by the socket that its newest event came over.

    Raises:
        NobodyError: the socket is not known here.
    """
    try:
        return _people[state.router.session.session_id]
    except KeyError:
        raise NobodyError from None


class PageSockets(EventNamespace):
    """Reflex's sockets, each with a person, and with none but the events of our pages."""

    def __init__(self, namespace: str, app: rx.App) -> None:
        super().__init__(namespace, app)
        self._rate = Rate()

    async def trigger_event(self, event: Any, *arguments: Any) -> Any:
        """Deal with what a page sends, or with what the server says of a socket.

        A page can name its events like those, and say in them what only the server knows.
        """
        sid, *sent = arguments
        is_open = self.server.manager.is_connected(sid, self.namespace)
        if is_open:
            # What comes over this socket meanwhile is not read; other sockets are.
            await asyncio.sleep(self._rate.turn(_people.get(sid, "")))
        most = (_OF_PAGES if is_open else _OF_SERVER).get(event, -1) if isinstance(event, str) else -1
        if len(sent) > most:
            logger.warning("an event was dropped: %s", _NO_EVENT)
            return None
        return await super().trigger_event(event, *arguments)

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        """Open a socket for its person.

        Raises:
            SocketRefusedError: nobody is named, no page of ours would ask like this, or the person asks too often.
        """
        person = person_of(environ.get("asgi.scope", {}))
        tokens = parse_qs(environ.get("QUERY_STRING", "")).get("token", [])
        if not person or len(tokens) != 1 or len(tokens[0]) > _LONGEST_TOKEN or _SID in environ:
            raise SocketRefusedError
        if not self._rate.allows(person, _CONNECTING):
            logger.warning("a socket was refused: its person opens too many")
            raise SocketRefusedError
        environ[_SID] = sid
        _people[sid] = person
        page = page_of(person, tokens[0])
        if await self._token_manager.is_token_connected(page):
            # A duplicated tab has the token of the other. Reflex would give it the page's name for a token.
            await self.emit("new_token", token := secrets.token_urlsafe(16), to=sid)
            page = page_of(person, token)
        own = urlencode({"token": page})
        # Reflex writes down a subprotocol that is not its version.
        known = {name: value for name, value in environ.items() if name != "HTTP_SEC_WEBSOCKET_PROTOCOL"}
        try:
            await super().on_connect(sid, {**known, "QUERY_STRING": own}, _without_words(auth))
        except Exception:
            _leave(sid)
            raise

    def on_disconnect(self, sid: str, *_reason: Any) -> Any:
        """Close a socket; what came over it before keeps its person."""
        _leave(sid)
        return super().on_disconnect(sid)

    async def on_event(self, sid: str, data: Any = None) -> None:
        """Hear an event that a page of ours can have sent; drop any other one with a line in the log."""
        if (problem := problem_of(data)) is not None:
            logger.warning("an event was dropped: %s", problem)
            return
        await super().on_event(sid, _without_the_rest(data))

    async def emit(self, event: str, data: Any = None, to: str | None = None, **options: Any) -> None:
        """Tell a page something; where it does not read what it is told, close its socket.

        It connects again, and is told what is then.
        """
        await super().emit(event, data, to, **options)
        socket = self.server.eio.sockets.get(self.server.manager.eio_sid_from_sid(to, self.namespace) if to else None)
        if socket is not None and socket.queue.qsize() > UNREAD:
            logger.warning("a socket was closed: its page does not read what it is told")
            await socket.close(wait=False, abort=True)
            while not socket.queue.empty():
                socket.queue.get_nowait()
            socket.queue.put_nowait(None)

    async def on_client_error(self, _sid: str, _data: Any = None) -> None:
        """Take note that a page could not use what it was sent."""
        logger.warning("a page could not use a change of its state; it may be of another version")

    def _build_static_router_data(self, sid: str, environ: dict[str, Any]) -> dict[str, Any]:
        data = super()._build_static_router_data(sid, environ)
        headers = data[RouteVar.HEADERS]
        data[RouteVar.HEADERS] = {name: value for name, value in headers.items() if name in _HEADERS}
        data[RouteVar.CLIENT_IP] = ""
        return data


def _leave(sid: str) -> None:
    _left[sid] = None
    if len(_left) > _LEFT_KEPT:
        _people.pop(_left.popitem(last=False)[0], None)


class Rate:
    """How many events each person may send: so many at once, and so many a second in the long run."""

    def __init__(
        self,
        at_once: float = EVENTS_AT_ONCE,
        a_second: float = EVENTS_A_SECOND,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, person: str, events: int) -> bool:
        """Whether the person may send so many events now; they count where they are allowed."""
        left = self._left_of(person)
        if left >= events:
            self._count(person, left - events)
        return left >= events

    def turn(self, person: str) -> float:
        """Seconds after which one more event of the person is heard; it counts."""
        left = self._left_of(person) - 1
        self._count(person, left)
        return max(0.0, -left / self._a_second)

    def _left_of(self, person: str) -> float:
        left, then = self._left.get(person, (self._at_once, 0.0))
        return min(self._at_once, left + (self._clock() - then) * self._a_second)

    def _count(self, person: str, left: float) -> None:
        self._left[person] = left, self._clock()
        self._left.move_to_end(person)
        if len(self._left) > _PEOPLE_COUNTED:
            self._left.popitem(last=False)


def page_of(person: str, token: str) -> str:
    """The name of a page's state: what its client calls it, within the pages of its person."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"{person} {token}".encode()).digest()[:16]))


def problem_of(data: Any) -> str | None:
    """Why no page of ours can have sent this event, without a word of it; None where a page can have."""
    match data:
        case {"name": str(name)} if isinstance(data, dict):
            payload, router_data = data.get("payload", {}), data.get("router_data", {})
        case _:
            return _NO_EVENT
    arguments = heard().get(name)
    if arguments is None:
        return "no page sends it; a page may be of another version"
    try:
        arguments.model_validate(payload)
        _Location.model_validate(router_data)
    except ValidationError as error:
        return f"its arguments are not those of {name.rpartition('.')[2]} ({error.error_count()} differ)"
    if any(not _may_be_stored(name, value) for name, value in _stored_in(payload).items()):
        return "it changes what no browser stores"
    return None


@cache
def heard() -> dict[str, type[BaseModel]]:
    """The events that a page may send, by their names, each with a model of its arguments."""
    handlers = RegistrationContext.get().event_handlers
    names = [name for name in handlers if name in _SENT_BY_REFLEX or _is_own_event(name)]
    return {name: _model(handlers[name].handler.fn) for name in names}


def _is_own_event(name: str) -> bool:
    function = RegistrationContext.get().event_handlers[name].handler.fn
    # Reflex gives every state a `setvar`, which calls whatever is named `set_…`.
    return function.__module__.partition(".")[0] == _OWN


def _model(function: Callable[..., Any]) -> type[BaseModel]:
    hints = {**get_type_hints(function), **_LONG}
    arguments = list(inspect.signature(function).parameters.values())[1:]
    fields: dict[str, Any] = {
        one.name: (hints.get(one.name, Any), ... if one.default is one.empty else one.default) for one in arguments
    }
    return create_model(function.__name__, __config__=_STRICT, **fields)


@cache
def _stored() -> frozenset[str]:
    """The full names of the variables that Reflex keeps in the browser."""
    states = RegistrationContext.get().base_states.values()
    return frozenset(
        f"{state.get_full_name()}.{name}"
        for state in states
        for name in state.base_vars
        if state._is_client_storage(name)
    )


def _stored_in(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return payload.get("vars") or {}


def _may_be_stored(name: str, value: Any) -> bool:
    return name.removesuffix(FIELD_MARKER) in _stored() and isinstance(value, str)


def _without_the_rest(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event as a page means it: where the page is, and what of its storage is not longer than what we keep there."""
    heard_of = {key: event[key] for key in ("name", "payload") if key in event}
    if stored := _stored_in(event.get("payload", {})):
        short = {name: value for name, value in stored.items() if len(value) <= LONGEST_STORED}
        heard_of["payload"] = {**event["payload"], "vars": short}
    location = _Location.model_validate(event.get("router_data", {}))
    return {**heard_of, "router_data": location.model_dump(exclude_unset=True)}


def _without_words(auth: Any) -> dict[str, Any]:
    """What a page says when it connects, without what Reflex would write down."""
    if not isinstance(auth, dict):
        return {}
    event, schema = (auth.get(key) for key in (CompileVars.CONNECT_AUTH_EVENT, CompileVars.CONNECT_AUTH_STATE_SCHEMA))
    known = isinstance(schema, str) and _SCHEMA.fullmatch(schema)
    return {
        **({CompileVars.CONNECT_AUTH_EVENT: event} if event is not None else {}),
        **({CompileVars.CONNECT_AUTH_STATE_SCHEMA: schema} if known else {}),
    }


def hear_people_only(app: rx.App) -> None:
    """Have an app's sockets be `PageSockets`."""
    if app.sio is not None and app.event_namespace is not None:
        app._event_namespace = PageSockets(app.event_namespace.namespace, app)
        app.sio.register_namespace(app.event_namespace)


def event_failed(exception: Exception) -> EventSpec | None:
    """Say in the log which event's code failed and where, and to the person that it did."""
    if isinstance(exception, NobodyError):
        return None
    logger.error("an event failed", exc_info=exception)
    return rx.window_alert("That did not work. Reload the page, then try again.")


def page_failed(exception: Exception) -> None:  # noqa: ARG001 - so Reflex calls it
    """Take note that a page's own code failed; what it says of that is the browser's, and may hold anything."""
    logger.warning("a page's own code failed; its browser's console says more")
