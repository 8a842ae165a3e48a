"""Errors of the store, with the words for a person whose conversation is not kept meanwhile."""

from __future__ import annotations

from typing import ClassVar, Final

from chat_ui.protocol.translatable import msg

NOT_READABLE_NOW: Final = msg("Conversations cannot be read or changed at the moment.")


class StoreUnavailableError(Exception):
    """The database cannot be used at the moment; nothing was written. `notice` is for people."""

    notice: ClassVar[str] = msg(
        "This conversation is not being kept at the moment. It goes on here, and it will be kept as soon as the store "
        "can be reached again. Do not rely on a reload until then."
    )


class StoreFullError(StoreUnavailableError):
    """The disk of the database is full."""

    notice = msg(
        "This conversation is not being kept at the moment: the disk of this server is full. Tell whoever runs it. The "
        "conversation goes on here, and it will be kept as soon as there is room. Do not rely on a reload until then."
    )


class StoreTooNewError(StoreUnavailableError):
    """The database has the schema of a newer version of this app."""

    notice = msg(
        "This conversation is not being kept: what is kept here was written by a newer version of this app. Tell "
        "whoever runs this server to start that version again. The conversation goes on here for now; copy what you "
        "want to have of it."
    )


class StoreDamagedError(StoreUnavailableError):
    """The file of the database is damaged, or something else."""

    notice = msg(
        "This conversation is not being kept: the file in which conversations are kept is damaged. Tell whoever runs "
        "this server to restore it from a backup. The conversation goes on here for now; copy what you want to have of "
        "it."
    )


class StoreMovedError(StoreUnavailableError):
    """The file of the database is not in its place any more."""

    notice = msg(
        "This conversation is not being kept at the moment: the file in which conversations are kept was moved or "
        "deleted. Tell whoever runs this server to put it back. The conversation goes on here, and it will be kept "
        "once the file is there. Do not rely on a reload until then."
    )


class TooLongError(Exception):
    """A query was ended because it took longer than it may."""


class StoreRefusedError(StoreUnavailableError):
    """The database takes no value of this kind, now or later."""
