"""Addresses as people type them."""

from __future__ import annotations

import pytest

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.urls import parse_backend_url


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("  http://localhost:8000/chat \n", "http://localhost:8000/chat"),
        ("https://x.test/v1/chat/completions?api-version=2#top", "https://x.test/v1/chat/completions?api-version=2"),
        ("HTTP://LOCALHOST/chat", "http://LOCALHOST/chat"),
        ("http://[::1]:8000/chat", "http://[::1]:8000/chat"),
        ("http://żółw.test/chat", "http://żółw.test/chat"),
        ("localhost:3410/chat", "http://localhost:3410/chat"),
        ("localhost", "http://localhost"),
        ("LOCALHOST:8000?a=http://b", "http://LOCALHOST:8000?a=http://b"),
        ("model-box:8000/chat", "http://model-box:8000/chat"),
        ("model-box.local/chat", "http://model-box.local/chat"),
        ("127.0.0.1:8000/chat", "http://127.0.0.1:8000/chat"),
        ("192.168.1.4/chat", "http://192.168.1.4/chat"),
        ("[::1]:8000/chat", "http://[::1]:8000/chat"),
        ("chat.example.com/api", "https://chat.example.com/api"),
        ("chat.example.com:8443", "https://chat.example.com:8443"),
        ("8.8.8.8/chat", "https://8.8.8.8/chat"),
    ],
)
def test_an_address_is_taken_as_typed_without_what_does_not_belong(typed: str, url: str) -> None:
    assert parse_backend_url(typed) == url


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "Enter the address"),
        ("   ", "Enter the address"),
        ("mailto:me@x.test", "http://"),
        ("me:1@x.test/chat", "http://"),
        ("localhost:eight/chat", "http://"),
        ("example", "http://"),
        ("ht!tp://x.test/chat", "Begin the address"),
        ("ftp://x.test/chat", "Only http"),
        ("file:///etc/passwd", "Only http"),
        ("javascript:alert(1)", "http://"),
        ("http://", "no host"),
        ("http:///chat", "no host"),
        ("http://:8000/chat", "no host"),
        ("http://x.test:99999/", "not a valid"),
        ("http://x.test:eight/", "not a valid"),
        ("http://x.test:0/", "Port 0"),
        ("http://[::1/chat", "not a valid"),
        ("http://me:secret@x.test/", "user name"),
        ("http://x.test/a b", "spaces"),
        ("http://x.test\\@y.test/", "backslashes"),
        ("http://x.test/\x00", "control"),
    ],
)
def test_what_is_no_address_is_refused_in_words(typed: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_backend_url(typed)


def test_the_headers_of_a_backend_are_not_in_its_repr() -> None:
    assert "secret" not in repr(Backend("http://x.test", headers={"api-key": "secret"}))
