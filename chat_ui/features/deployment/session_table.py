"""The conversations here of sessions that a deployment keeps. A row is deleted for good with its conversation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from sqlalchemy import Text, bindparam, text

from chat_ui.conversations.store.database import Database

_KEEP: Final = text(
    "INSERT INTO deployment_session (owner, service, session, conversation)"
    " VALUES (:owner, :service, :session, :conversation)"
    " ON CONFLICT (owner, service, session) DO UPDATE SET conversation = excluded.conversation"
)
_FIND: Final = text(
    "SELECT s.session, s.conversation, c.deleted_at FROM deployment_session s JOIN conversation c"
    " ON c.id = s.conversation WHERE c.owner = :owner AND s.service = :service AND s.session IN :sessions"
    # A handed-over conversation keeps its row, so a session can have two: the last one counts.
    " ORDER BY c.deleted_at IS NULL"
).bindparams(bindparam("sessions", type_=Text, expanding=True))


class SessionTable:
    """The table in the database that `opened` gives. Both methods raise StoreUnavailableError if it cannot be used."""

    def __init__(self, opened: Callable[[], Database]) -> None:
        self._opened = opened

    async def keep(self, owner: str, service: str, session: str, conversation: str) -> None:
        """Keep the conversation of a session, in place of an earlier one."""
        values = {"owner": owner, "service": service, "session": session, "conversation": conversation}
        async with self._opened().writing() as connection:
            await connection.execute(_KEEP, values)

    async def of(self, owner: str, service: str, sessions: Collection[str]) -> dict[str, tuple[str, bool]]:
        """The person's conversation for each of these sessions, and whether it is deleted and can be restored."""
        values = {"owner": owner, "service": service, "sessions": [*sessions]}
        async with self._opened().reading() as connection:
            rows = await connection.execute(_FIND, values)
            return {row.session: (row.conversation, row.deleted_at is not None) for row in rows}
