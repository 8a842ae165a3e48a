"""Failures of the demo on request, and its end when a reader leaves."""

import httpx2
import pytest
from starlette.applications import Starlette

from chat_ui.features.demo.showcase import RETRY_AFTER, Behaviour, asked_behaviour
from tests.features.demo.asking import Heard, ask
from tests.features.demo.serving import wait_for


def _text(heard: Heard) -> str:
    return "".join(value.get("delta", {}).get("content", "") for value in heard.objects)


def test_every_demo_question_is_recognised_in_any_case_and_punctuation() -> None:
    for behaviour in Behaviour:
        assert asked_behaviour(f"  {behaviour.value.upper()}! ") is behaviour
    assert asked_behaviour("What is a rate limit?") is None


def test_a_rate_limit_names_the_seconds_to_wait(demo: str) -> None:
    for path in ("/chat/stream", "/chat", "/a/chat", "/b/chat/stream", "/e/chat"):
        heard = ask(demo + path, "Show me a rate limit")
        assert (heard.status, heard.headers["retry-after"]) == (429, str(RETRY_AFTER))
        assert f"{RETRY_AFTER} seconds" in str(heard.objects[0]["error"])


def test_a_content_filter_comes_after_the_sources_or_is_a_status(demo: str) -> None:
    first, last = ask(f"{demo}/chat/stream", "Show me a content filter").objects
    assert first["context"]["data_points"]["text"]
    assert last["error"]["code"] == "content_filter"
    complete = ask(f"{demo}/chat", "Show me a content filter")
    assert (complete.status, complete.objects[0]["error"]["code"]) == (400, "content_filter")


def test_an_error_in_mid_stream_follows_some_text(demo: str) -> None:
    for path in ("/chat/stream", "/b/chat/stream"):
        heard = ask(demo + path, "Show me an error in mid-stream")
        assert (heard.status, heard.broken) == (200, False)
        assert len(_text(heard)) > 50
        assert "error" in heard.objects[-1]


def test_a_cut_answer_ends_within_an_object_streamed_or_not(demo: str) -> None:
    heard = ask(f"{demo}/chat/stream", "Show me a cut stream")
    assert (heard.status, heard.broken, len(_text(heard)) > 50) == (200, True, True)
    assert heard.rest.startswith('{"delta":')
    assert not heard.rest.endswith("}")
    with httpx2.Client(trust_env=False) as client, pytest.raises(httpx2.RemoteProtocolError):
        client.post(f"{demo}/chat", json={"messages": [{"role": "user", "content": "Show me a cut stream"}]})


def test_a_stall_ends_when_the_reader_leaves_also_before_the_first_byte(demo: str, app: Starlette) -> None:
    body = {"messages": [{"role": "user", "content": "Show me a stall"}]}
    with (
        httpx2.Client(trust_env=False, timeout=60) as client,
        client.stream("POST", f"{demo}/chat/stream", json=body) as response,
    ):
        received, arriving = b"", response.iter_raw()
        for chunk in arriving:
            received += chunk
            if received.count(b"\n") > 20:
                break
        assert app.state.running.count == 1
    wait_for(lambda: app.state.running.count == 0)
    body = {"messages": [{"role": "user", "content": "Show me a stall"}]}
    with httpx2.Client(trust_env=False) as client, client.stream("POST", f"{demo}/chat", json=body):
        wait_for(lambda: app.state.running.count == 1)
    wait_for(lambda: app.state.running.count == 0)


def test_the_markdown_show_cites_its_sources(demo: str) -> None:
    heard = ask(f"{demo}/chat/stream", "Show me everything Markdown can do")
    text = _text(heard)
    for sign in ("# Everything", "- [x]", "| ---", "```python", "$H_s", "> The sea", "[^1]: "):
        assert sign in text
    citations = heard.objects[0]["context"]["data_points"]["citations"]
    assert len(citations) > 1
    assert f"[{citations[0]}][{citations[-1]}]" in text
