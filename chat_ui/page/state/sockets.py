"""The socket of each page: its person, and the events over it that are handled.

A client chooses everything that it sends: its token, the names and arguments of events, the content of its storage. So
the server alone names the person of a socket, in the request that opens it. A token names a page among that person's
pages and leads to no other person's. An event is handled if a page of ours can have sent it. The log holds nothing that
was sent.
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

from chat_ui.conversations.people.person import person_of
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
"""Events of one person in this process that are handled at once."""
EVENTS_A_SECOND: Final = 20.0
"""Events of one person a second that are handled in the long run; further ones wait."""
_PEOPLE_COUNTED: Final = 10_000
UNREAD: Final = 32
"""Changes that a page need not have read yet; where there are more, its socket is closed."""

_CONNECTING: Final = 5
"""Events that the opening of a socket counts for."""
_OF_PAGES: Final = {"event": 1, "ping": 1, "client_error": 1}
"""The events of a page, and how many values go with each at most."""
_OF_SERVER: Final = {"connect": 2, "disconnect": 1}
_SID: Final = "chat_ui.sid"
_HEADERS: Final = frozenset({"host", "origin", REQUEST_HEADER})
LANGUAGE_HEADER: Final = "x-chat-ui-language"
"""Among the headers of a page's socket, as its state has them: the tag of the page's language, by this server."""
_LONGEST_TOKEN: Final = 100


class Rate:
    """A limit on the events of each person: `at_once`, and `a_second` in the long run."""

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
        """Seconds until one more event of the person is handled; it counts."""
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
    """Reflex's sockets, each of a person; only events of our pages are handled, at a `rate` for each person."""

    def __init__(self, namespace: str, app: rx.App, rate: Rate, states: PageStates) -> None:
        super().__init__(namespace, app)
        self._rate = rate
        self._states = states

    async def trigger_event(self, event: Any, *arguments: Any) -> Any:
        """Handle an event of a page, or of the server about a socket.

        A page can name its events like the server's, and put into them what only the server knows.
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
        people.open(sid, person)
        page = page_of(person, tokens[0])
        if await self._token_manager.is_token_connected(page):
            # A duplicated tab has the token of the other. Reflex would give it the page's name for a token.
            await self.emit("new_token", token := secrets.token_urlsafe(16), to=sid)
            page = page_of(person, token)
        self._states.page_opened(page)
        own = urlencode({"token": page})
        # Reflex writes down a subprotocol that is not its version.
        known = {name: value for name, value in environ.items() if name != "HTTP_SEC_WEBSOCKET_PROTOCOL"}
        try:
            await super().on_connect(sid, {**known, "QUERY_STRING": own}, _without_words(auth))
        except Exception:
            people.close(sid)
            raise

    def on_disconnect(self, sid: str, *_reason: Any) -> Any:
        """Close a socket; what came over it before keeps its person."""
        people.close(sid)
        if page := self.sid_to_token.get(sid):
            self._states.page_closed(page)
        return super().on_disconnect(sid)

    async def on_event(self, sid: str, data: Any = None) -> None:
        """Handle an event that a page of ours can have sent; drop any other with a line in the log."""
        if (problem := problem_of(data)) is not None:
            logger.warning("an event was dropped: %s", problem)
            return
        await super().on_event(sid, sanitized(data))

    async def emit(self, event: str, data: Any = None, to: str | None = None, **options: Any) -> None:
        """Send a page a message; close the socket of a page that does not read.

        The page connects again, and gets the state as it is then.
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
        logger.warning("a page could not use a change of its state; it may be of another version")

    def _build_static_router_data(self, sid: str, environ: dict[str, Any]) -> dict[str, Any]:
        data = super()._build_static_router_data(sid, environ)
        headers = data[RouteVar.HEADERS]
        known = {name: value for name, value in headers.items() if name in _HEADERS}
        data[RouteVar.HEADERS] = {**known, LANGUAGE_HEADER: _language_of(environ)}
        data[RouteVar.CLIENT_IP] = ""
        return data


def page_of(person: str, token: str) -> str:
    """The name of a page's state: what its client calls it, within the pages of its person."""
    return str(uuid.UUID(bytes=hashlib.sha256(f"{person} {token}".encode()).digest()[:16]))


def _language_of(environ: Mapping[str, Any]) -> str:
    """The tag of the language of the request that opened a socket."""
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
    """The page's first message, without the fields that Reflex would log.

    For another schema than its own, Reflex would have the page load itself anew, whatever a person is typing there. The
    page finds out by itself (`connection_status.jsx`).
    """
    event = auth.get(CompileVars.CONNECT_AUTH_EVENT) if isinstance(auth, dict) else None
    return {CompileVars.CONNECT_AUTH_EVENT: event} if event is not None else {}


def use_page_sockets(app: rx.App, rate: Rate) -> None:
    """Have an app's sockets be `PageSockets`, and the events over them be answered in the languages of their pages;
    their states are `PageStates`.
    """
    app.add_middleware(SpokenEvents())
    is_one_of_several = services().settings.redis_url is not None
    app._state_manager = states = PageStates.of_pages(has_conversation, begin_anew=is_one_of_several)
    if app.sio is not None and app.event_namespace is not None:
        app._event_namespace = PageSockets(app.event_namespace.namespace, app, rate, states)
        app.sio.register_namespace(app.event_namespace)


def event_failed(exception: Exception) -> EventSpec | None:
    """Log where the code of an event failed, and tell the person that it failed."""
    if isinstance(exception, SocketUnknownError):
        return None
    logger.error("an event failed", exc_info=exception)
    # Reflex calls this in another task than the event's, with the event's own context.
    with speaking(_language_at(EventContext.get().router_data.get(RouteVar.HEADERS, {}))):
        return rx.window_alert(gettext("That did not work. Reload the page, then try again."))


def page_failed(exception: Exception) -> None:  # noqa: ARG001 - so Reflex calls it
    """Log that a page's own code failed. The page's words about it may hold anything, and are left out."""
    logger.warning("a page's own code failed; its browser's console says more")
