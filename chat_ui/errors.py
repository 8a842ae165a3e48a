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
│   ├── VaultUnavailableError
│   ├── SignInNeededError
│   └── NotAllowedError
├── LimitReachedError
├── AttachmentError (ValueError)
├── StillAnsweringError
├── AlreadyDecidedError
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
    """A part that the page needs is missing; the message names it, with advice."""


class UnusableSettingsError(CannotServeError):
    """A setting, or a file that it names, cannot be used; the message says which, and why, without secrets."""


class PortNotFreeError(CannotServeError):
    """Nothing can listen on a port; the message says why, and which other is free."""


class NoPageError(CannotServeError):
    """The built page is missing."""


class DatabaseInUseError(CannotServeError):
    """Another server uses the database, and this one would take its running answers for abandoned."""


class StoreUnavailableError(ChatUIError):
    """The database cannot be used at the moment; nothing was written. `notice` and `refusal` are for people."""

    refusal: ClassVar[str] = msg("Conversations cannot be read or changed at the moment. Try again in a moment.")
    notice: ClassVar[str] = msg(
        "This conversation cannot be saved at the moment. It continues here and is saved as soon as "
        "possible; do not reload until then."
    )


class StoreFullError(StoreUnavailableError):
    """The disk of the database is full."""

    notice = msg(
        "This conversation cannot be saved, because the disk of the server is full. Tell its "
        "operator, and do not reload until it is saved."
    )


class StoreTooNewError(StoreUnavailableError):
    notice = msg(
        "This conversation cannot be saved, because a newer version of this app wrote the database. "
        "Tell the server's operator to start that version, and copy the parts that you need."
    )


class StoreDamagedError(StoreUnavailableError):
    """The file of the database is damaged, or not a database."""

    notice = msg(
        "This conversation cannot be saved, because the database file is damaged. Tell the server's "
        "operator to restore a backup, and copy the parts that you need."
    )


class StoreMovedError(StoreUnavailableError):
    """The file of the database has left its place."""

    notice = msg(
        "This conversation cannot be saved, because the database file was moved or deleted. Tell the "
        "server's operator to put it back, and do not reload until then."
    )


class StoreRefusedError(StoreUnavailableError):
    """The database never takes a value of this kind."""


class VaultError(ChatUIError):
    """A credential cannot be kept or used; the message is for the person."""


class VaultUnavailableError(VaultError):
    """The store cannot be used at the moment, so the credential is unknown."""

    def __init__(self) -> None:
        super().__init__(msg("Your keys cannot be saved or read at the moment. Try again in a moment."))


class SignInNeededError(VaultError):
    """The person must sign in, or sign in again; the question was not sent."""


class NotAllowedError(VaultError):
    """The person is in none of the groups that may use a backend."""


class LimitReachedError(ChatUIError):
    """A person asked for more than their quota; the message is for them. `wait` is in seconds, if known."""

    def __init__(self, message: str, wait: float = 1.0) -> None:
        super().__init__(message)
        self.wait = ceil(wait)


class AttachmentError(ChatUIError, ValueError):
    """A file that is not taken; the message is for the person."""


class StillAnsweringError(ChatUIError):
    """A question was asked while the answer to an earlier one is still running."""


class AlreadyDecidedError(ChatUIError):
    """A paused answer is decided on, perhaps in another tab."""


class TooManyDoubtsError(ChatUIError):
    """More citations of an answer would be doubted than allowed."""


class TooLargeError(ChatUIError):
    """A body is larger than allowed."""


class TooCostlyError(ChatUIError):
    """A function or a query was ended because it exceeded its time or memory."""


class NoPlaceError(ChatUIError):
    """Too many files arrive or wait for a further one."""


class SocketUnknownError(ChatUIError):
    """A page's socket was closed long ago, or belongs to another process."""


class UnreadableEntryError(ChatUIError, ValueError):
    """A log has an entry that is not of this version."""


class NotOnOfferError(DocumentError):
    """The document's backend is not on offer to the person, and is not asked."""

    def __init__(self) -> None:
        super().__init__(403, msg("This document is from a backend that is not available here."))
