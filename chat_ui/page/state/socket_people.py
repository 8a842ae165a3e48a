"""The person of each socket, from the request that opened it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from reflex.state import BaseState

from chat_ui.errors import SocketUnknownError

_CLOSED_KEPT: Final = 10_000


class SocketPeople:
    """People by the ids of their sockets. Recently closed sockets keep their person, as events may be handled later."""

    def __init__(self) -> None:
        self._people: dict[str, tuple[str, str]] = {}
        self._closed: OrderedDict[str, None] = OrderedDict()

    def open(self, socket: str, person: str, session: str = "") -> None:
        self._people[socket] = person, session

    def close(self, socket: str) -> None:
        self._closed[socket] = None
        if len(self._closed) > _CLOSED_KEPT:
            self._people.pop(self._closed.popitem(last=False)[0], None)

    def of(self, socket: str) -> str:
        """The person of a socket; empty if unknown."""
        return self._people.get(socket, ("", ""))[0]

    def of_session(self, session: str) -> list[str]:
        """The sockets of a session, by its digest; some may be closed."""
        return [socket for socket, (_, of) in self._people.items() if of == session]


people: Final = SocketPeople()
"""A global, as Reflex creates sockets and states itself."""


def person_at(state: BaseState) -> str:
    """The person of the state's page, by the socket of its latest event.

    Raises:
        SocketUnknownError: the socket is unknown.
    """
    person = people.of(state.router.session.session_id)
    if not person:
        raise SocketUnknownError
    return person
