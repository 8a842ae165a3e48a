"""Errors of the client.

A failure of a backend or of the network is part of the answer and raises nothing. The root is that of the whole app.

ChatUIError
├── InvalidBackendError (ValueError)
├── InvalidRequestError (ValueError)
├── AddressRefusedError (ConnectionError)
├── CertificateRefusedError (ConnectionError)
├── NotJsonError (ValueError)
├── DocumentError
└── RecordingError (ValueError)
"""


class ChatUIError(Exception):
    """Every error of this app."""


class InvalidBackendError(ChatUIError, ValueError):
    """An address, a dialect or a fingerprint that cannot be used; the words are for the person."""


class InvalidRequestError(ChatUIError, ValueError):
    """A request cannot be sent to its backend; the words are for the person."""


class AddressRefusedError(ChatUIError, ConnectionError):
    """A request was not sent because of its target; the message is for the person."""


class CertificateRefusedError(ChatUIError, ConnectionError):
    """A server's certificate is not trusted; the message says why. Nothing was sent.

    The certificate has this `fingerprint`, and is `described` in a sentence. Both are empty without a certificate.
    """

    def __init__(self, why: str, fingerprint: str = "", described: str = "") -> None:
        super().__init__(why)
        self.fingerprint = fingerprint
        self.described = described


class NotJsonError(ChatUIError, ValueError):
    """A text that is not a JSON value even without trailing commas; the words say why."""


class DocumentError(ChatUIError):
    """A document is unavailable. `message` is for the person, `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class RecordingError(ChatUIError, ValueError):
    """A recording cannot be read or written; the words are for the person."""
