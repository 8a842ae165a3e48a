"""Errors of the core above the client.

ChatUIError
├── CannotServeError
│   ├── UnusableSettingsError
│   ├── PortNotFreeError
│   ├── NoPageError
│   └── DatabaseInUseError
├── StoreUnavailableError
│   ├── StoreFullError
│   ├── StoreTooNewError
│   ├── StoreDamagedError
│   ├── StoreMovedError
│   └── StoreRefusedError
├── VaultError
│   └── VaultUnavailableError
├── LimitReachedError
├── AttachmentError (ValueError)
├── StillAnsweringError
├── TooManyDoubtsError
├── TooLargeError
├── TooCostlyError
├── NoPlaceError
├── SocketUnknownError
├── UnreadableEntryError (ValueError)
└── DocumentError, of the client
    └── NotOnOfferError
"""

from __future__ import annotations

from math import ceil
from typing import ClassVar

from chat_ui.protocol.errors import ChatUIError, DocumentError
from chat_ui.protocol.translatable import msg


class CannotServeError(ChatUIError):
    """Something that the page needs is missing; the message says what, and what to do."""


class UnusableSettingsError(CannotServeError):
    """A setting, or a file that it names, cannot be used; the message says which, and why, and holds no secret."""


class PortNotFreeError(CannotServeError):
    """Nothing can listen on a port; the message says why, and which other is free."""


class NoPageError(CannotServeError):
    """There is no built page to serve."""


class DatabaseInUseError(CannotServeError):
    """Another server uses the database, and this one would take its running answers for abandoned."""


class StoreUnavailableError(ChatUIError):
    """The database cannot be used at the moment; nothing was written. `notice` and `refusal` are for people."""

    refusal: ClassVar[str] = msg("Conversations cannot be read or changed at the moment.")
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


class StoreRefusedError(StoreUnavailableError):
    """The database takes no value of this kind, now or later."""


class VaultError(ChatUIError):
    """A credential cannot be kept or used; the message is for the person."""


class VaultUnavailableError(VaultError):
    """The store cannot be used at the moment, so it is unknown whether there is a credential."""

    def __init__(self) -> None:
        super().__init__(msg("Your keys cannot be kept or found at the moment. Try again in a little while."))


class LimitReachedError(ChatUIError):
    """A person asked for more than their share; the message is for them. `wait` is in how many seconds there is room
    again, as far as that is known.
    """

    def __init__(self, message: str, wait: float = 1.0) -> None:
        super().__init__(message)
        self.wait = ceil(wait)


class AttachmentError(ChatUIError, ValueError):
    """A file that is not taken; the message is for the person."""


class StillAnsweringError(ChatUIError):
    """A question was asked while the answer to an earlier one is still being made."""


class TooManyDoubtsError(ChatUIError):
    """More citations of an answer would be doubted than can be."""


class TooLargeError(ChatUIError):
    """A body is larger than it may be."""


class TooCostlyError(ChatUIError):
    """A function or a query was ended because it took longer, or needed more memory, than it may."""


class NoPlaceError(ChatUIError):
    """So many files arrive or wait that there is no place for one more."""


class SocketUnknownError(ChatUIError):
    """A page's socket was closed long ago, or is one of another process."""


class UnreadableEntryError(ChatUIError, ValueError):
    """A log has an entry that is not of this version."""


class NotOnOfferError(DocumentError):
    """The document would come from a backend that is not on offer to the person, which is not asked."""

    def __init__(self) -> None:
        super().__init__(403, msg("This document is from a backend that is not on offer here."))
