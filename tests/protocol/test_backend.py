from dataclasses import replace

import pytest

from chat_ui.protocol.backends.backend import Backend, attempts, is_header_name
from chat_ui.protocol.backends.urls import parse_backend_url


def test_a_typed_address_is_cleaned() -> None:
    cases = [
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
        ("backend:80", "http://backend:80"),
        ("backend.internal/x", "http://backend.internal/x"),
        ("a.example?b", "https://a.example?b"),
        ("[2606:4700::1111]", "https://[2606:4700::1111]"),
    ]
    assert [(typed, parse_backend_url(typed)) for typed, _ in cases] == cases


def test_an_invalid_address_is_refused_in_words() -> None:
    cases = [
        ("", "Enter the address"), ("   ", "Enter the address"), ("mailto:me@x.test", "http://"),
        ("me:1@x.test/chat", "http://"), ("localhost:eight/chat", "http://"), ("example", "http://"),
        ("ht!tp://x.test/chat", "Start the address"), ("ftp://x.test/chat", "Only http"),
        ("file:///etc/passwd", "Only http"), ("javascript:alert(1)", "http://"), ("http://", "no host"),
        ("http:///chat", "no host"), ("http://:8000/chat", "no host"), ("http://x.test:99999/", "is not valid"),
        ("http://x.test:eight/", "is not valid"), ("http://x.test:0/", "Port 0"), ("http://[::1/chat", "is not valid"),
        ("http://me:secret@x.test/", "user name"), ("http://:p@a.example", "user name and password"),
        ("http://x.test/a b", "spaces"), ("http://x.test\\@y.test/", "backslashes"),
        ("http://x.test/\x00", "control"),
    ]  # fmt: skip
    for typed, words in cases:
        with pytest.raises(ValueError, match=words):
            parse_backend_url(typed)


def test_a_shown_or_remembered_backend_has_no_credential() -> None:
    bare = Backend("http://x.test/chat", headers={"api-key": "secret"}, extra_body={"key": "secret"})
    assert "secret" not in repr(bare.memory) + repr(replace(bare, extra_body={}))
    assert not bare.memory.keys() & {"documents", "profile", "name"}
    told = replace(bare, documents="", profile="own:1", name="Mine", stream=False).memory
    assert (told["documents"], told["profile"], told["name"], told["stream"]) == ("", "own:1", "Mine", False)
    assert told["url"] == "http://x.test/chat"


def test_a_key_goes_in_the_wanted_header_with_a_valid_name() -> None:
    for header, value in (("Authorization", {"Authorization": "Bearer k"}), ("api-key", {"api-key": "k"})):
        backend = Backend("http://x.test", key_header=header, headers={"a": "b"}).with_api_key("k")
        assert backend.headers == {"a": "b", **value}
    for name in ("api-key", "x", "x" * 100):
        assert is_header_name(name)
    for name in ("x" * 101, "", "a b", "a:"):
        assert not is_header_name(name)


def test_the_forms_of_a_question_follow_from_the_description() -> None:
    cases = [
        ({}, [("/chat/stream", None), ("/chat", True)]),
        ({"stream": False}, [("/chat", None)]),
        ({"stream": False, "streams_only": True}, [("/chat/stream", None), ("/chat", True)]),
        ({"url": "http://x.test/chat/stream/?a=1"}, [("/chat/stream?a=1", None), ("/chat?a=1", True)]),
        ({"url": "http://x.test"}, [("/stream", None), ("", True)]),
        ({"url": "http://x.test/v1/completions/"}, [("/v1/completions/", True)]),
        ({"url": "http://x.test/v1/responses", "stream": False}, [("/v1/responses", False)]),
        ({"url": "http://x.test/responses/x"}, [("/responses/x/stream", None), ("/responses/x", True)]),
        ({"streaming": "path"}, [("/chat/stream", None)]),
        ({"streaming": "path", "stream": False}, [("/chat", None)]),
        ({"streaming": "path", "stream": False, "url": "http://x.test/chat/stream"}, [("/chat", None)]),
        ({"streaming": "body"}, [("/chat", True)]),
        ({"streaming": "body", "stream": False}, [("/chat", False)]),
        ({"streaming": "body", "stream": False, "streams_only": True}, [("/chat", True)]),
        ({"streaming": "server"}, [("/chat", None)]),
    ]  # fmt: skip
    for changes, ways in cases:
        backend = Backend(**{"url": "http://x.test/chat", **changes})
        assert [(way.url.removeprefix("http://x.test"), way.stream_flag) for way in attempts(backend)] == ways
        streamed = f"http://x.test{ways[0][0]}"
        assert backend.endpoint == (streamed if backend.streams_only else backend.url)
