from typing import Any
from uuid import UUID

import pytest

from chat_ui.protocol.backends.backend import Attachment, ChatRequest, Message
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.test_requests import HELLO
from tests.stand_ins.stand_in import Received, StandIn

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TYPES = frozenset(
    {"image/png", "application/pdf", "text/csv", "application/json", DOCX, "audio/wav", "application/octet-stream"}
)
IMAGES = frozenset({"image/png"})
TAKEN = {
    **dict.fromkeys(("ai-chat-protocol", "ai-sdk", "ai-sdk-4", "ag-ui"), TYPES),
    "openai-responses": TYPES - {"audio/wav", "application/octet-stream"},
    **dict.fromkeys(("openai-compatible", "foundry-agent", "foundry-agent-endpoint"), IMAGES | {"application/pdf"}),
    **dict.fromkeys(
        (
            "azure-openai-on-your-data",
            "microsoft-python",
            "microsoft-express",
            "ollama",
            "azure-knowledge-base",
            "langgraph",
        ),
        IMAGES,
    ),
}
"""The types of files that a backend is known to take; the others take none."""
PLAN, PICTURE = Attachment("plän.pdf", "application/pdf", b"%PDF-1.7"), Attachment("a.png", "image/png", b"\x89PNG")
PDF, PNG = "JVBERi0xLjc=", "iVBORw=="
PDF_URI, PNG_URI = f"data:application/pdf;base64,{PDF}", f"data:image/png;base64,{PNG}"
TEXT = {"type": "text", "text": "What?"}
SENT: dict[str, Any] = {
    "openai-compatible": {"role": "user", "content": [
        TEXT,
        {"type": "file", "file": {"filename": "plän.pdf", "file_data": PDF_URI}},
        {"type": "image_url", "image_url": {"url": PNG_URI}},
    ]},
    "openai-responses": {"role": "user", "content": [
        {"type": "input_text", "text": "What?"},
        {"type": "input_file", "filename": "plän.pdf", "file_data": PDF_URI},
        {"type": "input_image", "image_url": PNG_URI},
    ]},
    "ollama": {"role": "user", "content": "What?", "images": [PNG]},
    "ai-sdk": {"id": "message-1", "role": "user", "parts": [
        {"type": "file", "mediaType": "application/pdf", "filename": "plän.pdf", "url": PDF_URI},
        {"type": "file", "mediaType": "image/png", "filename": "a.png", "url": PNG_URI},
        TEXT,
    ]},
    "ai-sdk-4": {"role": "user", "content": "What?", "experimental_attachments": [
        {"name": "plän.pdf", "contentType": "application/pdf", "url": PDF_URI},
        {"name": "a.png", "contentType": "image/png", "url": PNG_URI},
    ]},
    "ag-ui": {"role": "user", "content": [
        TEXT,
        {"type": "document", "source": {"type": "data", "value": PDF, "mimeType": "application/pdf"},
         "metadata": {"filename": "plän.pdf"}},
        {"type": "image", "source": {"type": "data", "value": PNG, "mimeType": "image/png"},
         "metadata": {"filename": "a.png"}},
    ]},
}  # fmt: skip
"""The message with those of a PDF and an image that a backend takes, by its name."""


async def asked(name: str, *files: Attachment) -> Received:
    request = ChatRequest((Message("user", "What?", files),))
    async with StandIn(HELLO).running() as stand_in, AsyncClient() as client:
        await client.ask(KNOWN_BACKENDS[name].below(stand_in.url, dialect="auto"), request)
    [received] = stand_in.requests
    return received


@pytest.mark.parametrize("name", SENT)
async def test_a_pdf_and_an_image_go_with_the_message(name: str) -> None:
    body = (await asked(name, *(file for file in (PLAN, PICTURE) if file.media_type in TAKEN[name]))).json
    [message] = body["input"] if "input" in body else body["messages"]
    if name == "ag-ui":
        UUID(message.pop("id"))
    assert message == SENT[name]


async def test_a_file_of_any_type_goes_as_a_part_of_a_form() -> None:
    received = await asked("ai-chat-protocol", PLAN, Attachment("a", "application/octet-stream", b"\x00\r\n--\xff"))
    for part in (
        b'name="messages[0].files[0]"; filename="pl\xc3\xa4n.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.7\r\n',
        b'name="messages[0].files[1]"; filename="a"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\r\n--\xff',
    ):
        assert part in received.body


@pytest.mark.parametrize("name", KNOWN_BACKENDS)
async def test_a_backend_gets_only_files_that_it_is_known_to_take(name: str) -> None:
    backend, taken = KNOWN_BACKENDS[name].below("http://127.0.0.1:9"), TAKEN.get(name, frozenset())
    assert {media_type for media_type in TYPES if backend.takes(media_type)} == taken
    async with AsyncClient() as client:
        for media_type in TYPES - taken:
            request = ChatRequest((Message("user", "What?", (Attachment("plan", media_type, b"a"),)),))
            with pytest.raises(ValueError, match=r"plan .*does not take.* Ask without it\."):
                client.stream(backend, request)
