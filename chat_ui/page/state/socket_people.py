"""The person of each socket, as the server named them in the request that opened it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from reflex.state import BaseState

from chat_ui.errors import SocketUnknownError

_CLOSED_KEPT: Final = 10_000


class SocketPeople:
    """People by the ids of their sockets.

    The newest closed sockets keep their person: events may be handled after their socket has closed.
    """

    def __init__(self) -> None:
        self._people: dict[str, str] = {}
        self._closed: OrderedDict[str, None] = OrderedDict()

    def open(self, socket: str, person: str) -> None:
        self._people[socket] = person

    def close(self, socket: str) -> None:
        self._closed[socket] = None
        if len(self._closed) > _CLOSED_KEPT:
            self._people.pop(self._closed.popitem(last=False)[0], None)

    def of(self, socket: str) -> str:
        """The person of a socket; empty where it is not known."""
        return self._people.get(socket, "")


people: Final = SocketPeople()
"""The people of this process: Reflex makes sockets and states itself, so this cannot be handed to them."""


def person_at(state: BaseState) -> str:
    """The person whose page has this state, by the socket that its newest event came over.

    Raises:
        SocketUnknownError: the socket is not known here.
    """
    person = people.of(state.router.session.session_id)
    if not person:
        raise SocketUnknownError
    return person
