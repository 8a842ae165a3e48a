import json
from typing import Any

import httpx2

from chat_ui.protocol.backends.backend import Attachment, ChatRequest, Message
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.transport.client import AsyncClient

PICTURE = Attachment("buoy 1.png", "image/png", b"\x89PNG\r\n\x1a\n")
QUESTION = "How much parental leave do I get?"


async def test_an_image_in_the_protocols_form_is_received_and_answered(demo: str) -> None:
    backend = KNOWN_BACKENDS["ai-chat-protocol"].below(demo)
    async with AsyncClient() as client:
        answer = await client.ask(backend, ChatRequest((Message("user", QUESTION, (PICTURE,)),)))
    assert (answer.error, "20 weeks" in answer.text) == (None, True)
    assert answer.thoughts[0].description == ["buoy 1.png (image/png, 8 bytes)"]


def _post(demo: str, **parts: Any) -> httpx2.Response:
    with httpx2.Client(trust_env=False) as client:
        return client.post(f"{demo}/chat", timeout=60, **parts)


def test_a_file_without_a_name_is_accepted_as_from_the_official_client(demo: str) -> None:
    for name in ('"messages[0].files[0]"', "messages[0].files[0]"):
        form = [
            b"--x\r\nContent-Disposition: form-data; name=json\r\nContent-Type: application/json\r\n\r\n",
            json.dumps({"messages": [{"role": "user", "content": QUESTION}]}).encode(),
            f"\r\n--x\r\nContent-Disposition: form-data; name={name}\r\nContent-Type: image/png\r\n\r\n".encode(),
            PICTURE.data,
            b"\r\n--x--\r\n",
        ]
        response = _post(demo, content=b"".join(form), headers={"Content-Type": "multipart/form-data; boundary=x"})
        assert response.status_code == 200
        found = response.json()["context"]["thoughts"][0]["description"]
        assert found == ["messages[0].files[0] (image/png, 8 bytes)"]


def form_of(name: str, *file: str | bytes | None) -> dict[str, Any]:
    return {"files": [(name, file)]}


def body_of(content: bytes, more: str = "; boundary=x") -> dict[str, Any]:
    return {"content": content, "headers": {"Content-Type": f"multipart/form-data{more}"}}


def test_an_invalid_form_is_refused_in_words(demo: str) -> None:
    for parts, words in (
        (form_of("other", "a.png", b"x", "image/png"), "unknown part “other”"),
        (form_of("messages[0].files[0]", "a.png", b"x", "image/png"), "no part “json”"),
        (form_of("json", None, "no JSON", "application/json"), "not JSON"),
        (form_of("json", None, json.dumps({"messages": []}), "application/json"), "at least one message"),
        (body_of(b"--x", ""), "cannot be read"),
        (body_of(b"no form"), "cannot be read"),
        (body_of(b"--x--\r\n"), "no part “json”"),
    ):
        response = _post(demo, **parts)
        assert (response.status_code, words in response.json()["error"]["message"]) == (400, True), words
