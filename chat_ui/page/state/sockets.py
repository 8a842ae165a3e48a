"""The socket of each page: its person, and the handled events.

A client chooses everything that it sends: its token, the names and arguments of events, the content of its storage. So
the server identifies the person by the request that opens the socket. A token identifies a page among that person's
pages, and never another person's. Only events that this app's pages can send are handled. The log omits what was sent.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

import reflex as rx
from reflex.app import EventNamespace
from reflex.constants import CompileVars, RouteVar
from reflex.event import Event, EventSpec
from reflex.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.event.context import EventContext
from socketio.exceptions import ConnectionRefusedError as SocketRefusedError

from chat_ui.conversations.people.person import person_of, session_of
from chat_ui.errors import SocketUnknownError
from chat_ui.languages.language import ENGLISH, Language
from chat_ui.languages.translation import gettext, speak, speaking
from chat_ui.page.state.chat import has_conversation
from chat_ui.page.state.page_events import NO_EVENT, problem_of, sanitized
from chat_ui.page.state.socket_people import people
from chat_ui.server.logs import REQUEST_HEADER
from chat_ui.server.middleware.request_language import LANGUAGE
from chat_ui.server.page_states import PageStates
from chat_ui.server.services import services

logger = logging.getLogger(__name__)

EVENTS_AT_ONCE: Final = 200
"""Maximum events of a person handled at once, per process."""
EVENTS_A_SECOND: Final = 20.0
"""Sustained rate of a person's events per second; further ones wait."""
_PEOPLE_COUNTED: Final = 10_000
UNREAD: Final = 32
"""Unread changes of a page before its socket is closed."""

_CONNECTING: Final = 5
"""Events that the opening of a socket counts for."""
_OF_PAGES: Final = {"event": 1, "ping": 1, "client_error": 1}
"""The events of a page, and the maximum number of their values."""
_OF_SERVER: Final = {"connect": 2, "disconnect": 1}
_SID: Final = "chat_ui.sid"
_HEADERS: Final = frozenset({"host", "origin", REQUEST_HEADER})
LANGUAGE_HEADER: Final = "x-chat-ui-language"
"""The tag of the page's language, set by this server among the headers of the socket's state."""
_LONGEST_TOKEN: Final = 100


class Rate:
    """A rate limit on each person's events: `at_once`, and `a_second` in the long run."""

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
        """Whether the person may send so many events now; allowed ones count."""
        left = self._left_of(person)
        if left >= events:
            self._count(person, left - events)
        return left >= events

    def turn(self, person: str) -> float:
        """Seconds until the person's next event is handled; it counts."""
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


class PageSockets(EventNamespace):
    """Reflex's sockets, each of a person; handles only the page's events, at a `rate` for each person."""

    def __init__(self, namespace: str, app: rx.App, rate: Rate, states: PageStates) -> None:
        super().__init__(namespace, app)
        self._rate = rate
        self._states = states

    async def trigger_event(self, event: Any, *arguments: Any) -> Any:
        """Handle an event of a page, or of the server about a socket. Pages could forge the server's events and their
        values.
        """
        sid, *sent = arguments
        is_open = self.server.manager.is_connected(sid, self.namespace)
        if is_open:
            # Other sockets are read meanwhile.
            await asyncio.sleep(self._rate.turn(people.of(sid)))
        most = (_OF_PAGES if is_open else _OF_SERVER).get(event, -1) if isinstance(event, str) else -1
        if len(sent) > most:
            logger.warning("an event was dropped: %s", NO_EVENT)
            return None
        return await super().trigger_event(event, *arguments)

    async def on_connect(self, sid: str, environ: dict[str, Any], auth: Any = None) -> None:
        """Open a socket for its person.

        Raises:
            SocketRefusedError: the person is unknown or connects too often, or the request cannot be of this app's
                page.
        """
        person = person_of(environ.get("asgi.scope", {}))
        tokens = parse_qs(environ.get("QUERY_STRING", "")).get("token", [])
        if not person or len(tokens) != 1 or len(tokens[0]) > _LONGEST_TOKEN or _SID in environ:
            raise SocketRefusedError
        if not self._rate.allows(person, _CONNECTING):
            logger.warning("a socket was refused: its user opens too many")
            raise SocketRefusedError
        environ[_SID] = sid
        people.open(sid, person, session_of(environ.get("asgi.scope", {})))
        page = page_of(person, tokens[0])
        if await self._token_manager.is_token_connected(page):
            # A duplicated tab has the token of the other, and Reflex would replace it by the page's internal name.
            await self.emit("new_token", token := secrets.token_urlsafe(16), to=sid)
            page = page_of(person, token)
        self._states.page_opened(page)
        own = urlencode({"token": page})
        # Reflex logs a subprotocol that is not its version.
        known = {name: value for name, value in environ.items() if name != "HTTP_SEC_WEBSOCKET_PROTOCOL"}
        try:
            await super().on_connect(sid, {**known, "QUERY_STRING": own}, _without_words(auth))
        except Exception:
            people.close(sid)
            raise

    def on_disconnect(self, sid: str, *_reason: Any) -> Any:
        """Close a socket; its earlier events keep their person."""
        people.close(sid)
        if page := self.sid_to_token.get(sid):
            self._states.page_closed(page)
        return super().on_disconnect(sid)

    def end(self, session: str) -> None:
        """Close the sockets of a session, by its digest."""
        for sid in people.of_session(session):
            self.server.start_background_task(_close, self._connection_of(sid))

    async def on_event(self, sid: str, data: Any = None) -> None:
        """Handle a valid event of a page; drop and log any other."""
        if (problem := problem_of(data)) is not None:
            logger.warning("an event was dropped: %s", problem)
            return
        await super().on_event(sid, sanitized(data))

    async def emit(self, event: str, data: Any = None, to: str | None = None, **options: Any) -> None:
        """Send a message to a page, and close the socket of a page that does not read. On reconnect, the page gets its
        current state.
        """
        await super().emit(event, data, to, **options)
        connection = self._connection_of(to)
        if connection is not None and connection.queue.qsize() > UNREAD:
            logger.warning("a socket was closed: its page does not read messages")
            await _close(connection)

    def _connection_of(self, sid: str | None) -> Any:
        """The connection of engine.io behind a socket; None once closed."""
        return self.server.eio.sockets.get(self.server.manager.eio_sid_from_sid(sid, self.namespace) if sid else None)

    async def on_client_error(self, _sid: str, _data: Any = None) -> None:
        logger.warning("a page could not apply a state update; it may be of another version")

    def _build_static_router_data(self, sid: str, environ: dict[str, Any]) -> dict[str, Any]:
        data = super()._build_static_router_data(sid, environ)
        headers = data[RouteVar.HEADERS]
        known = {name: value for name, value in headers.items() if name in _HEADERS}
        data[RouteVar.HEADERS] = {**known, LANGUAGE_HEADER: _language_of(environ)}
        data[RouteVar.CLIENT_IP] = ""
        return data


async def _close(connection: Any) -> None:
    """Close it without its unsent messages."""
    if connection is not None:
        await connection.close(wait=False, abort=True)
        while not connection.queue.empty():
            connection.queue.get_nowait()
        connection.queue.put_nowait(None)


def page_of(person: str, token: str) -> str:
    """The name of a page's state, a digest of its person and token."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"{person} {token}".encode()).digest()[:16]))


def _language_of(environ: Mapping[str, Any]) -> str:
    """The language tag of the request that opened a socket."""
    tag: str = environ.get("asgi.scope", {}).get(LANGUAGE, ENGLISH.tag)
    return tag


class SpokenEvents(Middleware):
    """Reflex's middleware: answers each event in the language of its page."""

    async def preprocess(self, app: rx.App, state: BaseState, event: Event) -> StateUpdate | None:  # noqa: ARG002
        speak(_language_at(state.router.headers.raw_headers))
        return None


def _language_at(headers: Mapping[str, str]) -> Language:
    return services().languages.get(headers.get(LANGUAGE_HEADER, ""), ENGLISH)


def _without_words(auth: Any) -> dict[str, Any]:
    """The page's first message, without the fields that Reflex would log. For another schema, Reflex would reload the
    page and lose typed text. The page checks this itself (`connection_status.jsx`).
    """
    event = auth.get(CompileVars.CONNECT_AUTH_EVENT) if isinstance(auth, dict) else None
    return {CompileVars.CONNECT_AUTH_EVENT: event} if event is not None else {}


def use_page_sockets(app: rx.App, rate: Rate) -> None:
    """Use `PageSockets` and `PageStates` in an app, with events in the languages of their pages."""
    app.add_middleware(SpokenEvents())
    is_one_of_several = services().settings.redis_url is not None
    app._state_manager = states = PageStates.of_pages(has_conversation, begin_anew=is_one_of_several)
    if app.sio is not None and app.event_namespace is not None:
        app._event_namespace = sockets = PageSockets(app.event_namespace.namespace, app, rate, states)
        app.sio.register_namespace(sockets)
        services().conversations.on_signed_out.append(sockets.end)


def event_failed(exception: Exception) -> EventSpec | None:
    """Log where an event's code failed, and notify the person."""
    if isinstance(exception, SocketUnknownError):
        return None
    logger.error("an event failed", exc_info=exception)
    # Reflex calls this in another task, with the event's context.
    with speaking(_language_at(EventContext.get().router_data.get(RouteVar.HEADERS, {}))):
        return rx.window_alert(gettext("Something went wrong. Reload the page, then try again."))


def page_failed(exception: Exception) -> None:  # noqa: ARG001 - so Reflex calls it
    """Log an error of the page, without its message, which may have private text."""
    logger.warning("a page's script failed; see the browser's console")
