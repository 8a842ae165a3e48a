"""The certificates of servers: their fields, and trust by fingerprint."""

from __future__ import annotations

import hashlib
import hmac
import re
import ssl
from dataclasses import dataclass
from functools import cache
from typing import Final

import httpx2
from cryptography import x509

from chat_ui.protocol.dialects.reported_errors import plain_words
from chat_ui.protocol.errors import InvalidBackendError

_LONGEST_NAME: Final = 100
_MOST_NAMES: Final = 5
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_WHY: Final = {
    18: "it is self-signed, so nobody but the server itself vouches for it",
    **dict.fromkeys((2, 19, 20, 21, 27), "no authority that is known here vouches for it"),
    **dict.fromkeys((62, 64), "it is not for {host}"),
}
"""Reasons by the error codes of OpenSSL's verification."""
_EXPIRED: Final = 10
_NOT_YET: Final = 9
_UNKNOWN_DATE: Final = "an unknown date"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A server's certificate: its SHA-256 `fingerprint` in hexadecimal, and its own fields."""

    fingerprint: str
    subject: str
    issuer: str
    names: tuple[str, ...]
    begins: str
    ends: str

    @property
    def in_words(self) -> str:
        """The certificate in a sentence for a person."""
        names = ", ".join(self.names) or self.subject or "nothing"
        fingerprint = with_colons(self.fingerprint)
        issued = f", was issued by “{self.issuer}”" if self.issuer and self.issuer != self.subject else ""
        return f"It names {names}{issued}, and ends on {self.ends}. Its SHA-256 fingerprint is {fingerprint}."


class _AnotherCertificateError(ssl.SSLCertVerificationError):
    verify_code = 0
    verify_message = "it is not the one that you trust"


def certificate_of(der: bytes) -> Certificate:
    """The fields of the certificate `der`."""
    fingerprint = hashlib.sha256(der).hexdigest()
    try:
        read = x509.load_der_x509_certificate(der)
        begins, ends = (moment.date().isoformat() for moment in (read.not_valid_before_utc, read.not_valid_after_utc))
        return Certificate(fingerprint, _common(read.subject), _common(read.issuer), _names(read), begins, ends)
    except ValueError:
        return Certificate(fingerprint, "", "", (), _UNKNOWN_DATE, _UNKNOWN_DATE)


def why_refused(error: ssl.SSLCertVerificationError, host: str, certificate: Certificate | None) -> str:
    """Why the certificate of `host` is not trusted, in words that follow “its certificate is not trusted:”."""
    code = error.verify_code
    if code in _WHY:
        return _WHY[code].format(host=host)
    if code == _EXPIRED and certificate is not None:
        return f"it ended on {certificate.ends}"
    if code == _NOT_YET and certificate is not None:
        return f"it begins on {certificate.begins}, by the clock of this machine that is still to come"
    return plain_words(error.verify_message)


def parse_fingerprint(text: str) -> str:
    """A typed SHA-256 fingerprint, in hexadecimal.

    Raises:
        InvalidBackendError: it is invalid; the words are for the person.
    """
    found = re.sub(r"[\s:]|^sha-?256[:=]?", "", text.strip().lower())
    if not _FINGERPRINT.fullmatch(found):
        raise InvalidBackendError("A SHA-256 fingerprint is 64 hexadecimal digits, with or without colons.")
    return found


def with_colons(fingerprint: str) -> str:
    """A fingerprint as browsers and openssl write it."""
    return ":".join(fingerprint[at : at + 2].upper() for at in range(0, len(fingerprint), 2))


@cache
def known_authorities() -> ssl.SSLContext:
    """A context that trusts the authorities of the operating system. All clients share it: to read them takes 20 ms."""
    return httpx2.create_ssl_context(trust_env=False)


def pinned_context(fingerprint: str) -> ssl.SSLContext:
    """A context whose handshakes fail unless the certificate has that fingerprint; nothing else is checked."""

    class Handshake(ssl.SSLObject):
        def do_handshake(self) -> None:
            super().do_handshake()
            shown = hashlib.sha256(self.getpeercert(binary_form=True) or b"").hexdigest()
            if not hmac.compare_digest(shown, fingerprint):
                raise _AnotherCertificateError

    context = unverified_context()
    context.sslobject_class = Handshake
    return context


def unverified_context() -> ssl.SSLContext:
    """A context that accepts any certificate: only to look at one, never to send."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _common(name: x509.Name) -> str:
    found = name.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    return plain_words(str(found[0].value))[:_LONGEST_NAME] if found else ""


def _names(read: x509.Certificate) -> tuple[str, ...]:
    try:
        names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ()
    return tuple(plain_words(str(name.value))[:_LONGEST_NAME] for name in list(names)[:_MOST_NAMES])
