"""The request: messages, files, options and session state, in the form that a backend expects."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import Final, NamedTuple

import httpx2

from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.backends.backend import HISTORY_METADATA, Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import STATES_OF_FORMS, Json, JsonObject
from chat_ui.protocol.reading.json_text import in_slices, json_pieces
from chat_ui.protocol.translatable import msg

MOST: Final = 64 * 1024 * 1024
"""Characters of messages and bytes of files in one request: some ten times a model's input."""
JSON_FILE: Final = "request.json"
"""The file name of the part `json`."""


class EncodedRequest(NamedTuple):
    """An encoded body in pieces, with its content type."""

    content_type: str
    pieces: tuple[bytes, ...]


def check(backend: Backend, request: ChatRequest) -> None:
    """Check that `request` can be sent to `backend`.

    Raises:
        InvalidRequestError: it is longer than `MOST`, or has files that the backend does not take.
    """
    messages = sent_messages(backend, request)
    files = [file for message in messages for file in message.files]
    if sum(len(message.content) for message in messages) + sum(len(file.data) for file in files) > MOST:
        raise InvalidRequestError(
            msg(
                "This conversation is longer than the {most} MB that can be sent to a backend. Ask "
                "in a new conversation.",
                most=MOST // 1024 // 1024,
            )
        )
    if files and backend.files == "none":
        raise InvalidRequestError(
            msg("{name} cannot be sent, because this backend does not take files. Ask without it.", name=files[0].name)
        )
    for file in files:
        if not backend.takes(file.media_type):
            media_type = file.media_type or msg("of no type")
            raise InvalidRequestError(
                msg(
                    "{name} is {type}, which this backend does not take. Ask without it.",
                    name=file.name,
                    type=media_type,
                )
            )


def secrets_of(backend: Backend, overrides: JsonObject) -> Secrets:
    """The credentials that a question to `backend` with these options carries."""
    return Secrets(backend.headers, backend.url, {"overrides": overrides, "body": backend.extra_body})


def is_form(backend: Backend, request: ChatRequest) -> bool:
    """Whether `request` is sent as a form: it has files, and `backend` takes files as parts of a form."""
    return backend.takes_forms and any(message.files for message in sent_messages(backend, request))


async def encode_request(backend: Backend, request: ChatRequest, *, stream_flag: bool | None) -> EncodedRequest:
    """The request as `backend` expects it; `stream_flag` is the value of `stream`, None to leave it out.

    It is JSON, or a form (`multipart/form-data`) with the part `json` and a part `messages[i].files[j]` for each file.
    Other tasks run while a long request is written.
    """
    sent: list[Json] = []
    for place, message in enumerate(sent_messages(backend, request)):
        sent.append(_message(backend, message, place))
        if message.files:
            await asyncio.sleep(0)
    body = json_pieces(_body(backend, request, sent, stream_flag))
    pieces = tuple([piece.encode() async for piece in in_slices(body)])
    if not is_form(backend, request):
        return EncodedRequest("application/json", pieces)
    files = [
        (f"messages[{i}].files[{j}]", (file.name, file.data, file.media_type))
        for i, message in enumerate(sent_messages(backend, request))
        for j, file in enumerate(message.files)
    ]
    name = JSON_FILE if backend.files == "multipart-file" else None
    parts = [("json", (name, b"".join(pieces), "application/json")), *files]
    form = httpx2.Request("POST", backend.url, files=parts)
    assert isinstance(form.stream, httpx2.SyncByteStream)  # noqa: S101 - of bytes alone
    return EncodedRequest(form.headers["content-type"], tuple(form.stream))


def request_body(backend: Backend, request: ChatRequest, *, stream_flag: bool | None) -> dict[str, Json]:
    """The JSON body for `backend`; `stream_flag` is the value of `stream`, None to leave it out.

    Empty keys are left out: real backends refuse `context: {}`, `context: null` and `session_state: null`. Options that
    the backend does not take are left out too.
    """
    sent = enumerate(sent_messages(backend, request))
    messages: list[Json] = [_message(backend, message, place) for place, message in sent]
    return _body(backend, request, messages, stream_flag)


def _body(backend: Backend, request: ChatRequest, messages: list[Json], stream_flag: bool | None) -> dict[str, Json]:
    write = backend.request_format.body if backend.request_format is not None else _protocol_body
    body = write(backend, request, messages)
    if stream_flag is not None:
        body["stream"] = stream_flag
    body.update(backend.extra_body)
    return body


def _protocol_body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    body: dict[str, Json] = {backend.messages_key: messages}
    if backend.overrides == "body":
        body.update(request.overrides)
    elif backend.overrides == "options" and request.overrides:
        body["options"] = request.overrides
    context = _context(backend, request)
    if context:
        body["context"] = context
    state = request.session_state
    if state is not None and state.key not in STATES_OF_FORMS and state.value not in (None, {}):
        body[backend.session_state_key or state.key] = state.value
        metadata = state.value if state.key == HISTORY_METADATA and isinstance(state.value, Mapping) else {}
        if isinstance(known := metadata.get("conversation_id"), str):
            # The Azure sample app finds a conversation by its id.
            body["conversation_id"] = known
    if backend.model:
        body["model"] = backend.model
    return body


def sent_messages(backend: Backend, request: ChatRequest) -> tuple[Message, ...]:
    """The messages for `backend`: all, or only the question if it keeps the history itself."""
    return request.messages[-1:] if backend.history == "last" else request.messages


def _message(backend: Backend, message: Message, place: int) -> JsonObject:
    if backend.request_format is not None:
        return backend.request_format.message(message, place)
    sent: dict[str, Json] = {"role": message.role, "content": message.content}
    if message.files and backend.files == "parts":
        parts: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
        sent["content"] = [*parts, *map(_part, message.files)]
    elif message.files and backend.files == "images":
        sent["images"] = [base64.b64encode(file.data).decode() for file in message.files]
    return sent


def _part(file: Attachment) -> JsonObject:
    if file.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": file.data_uri}}
    return {"type": "file", "file": {"filename": file.name, "file_data": file.data_uri}}


def _context(backend: Backend, request: ChatRequest) -> JsonObject:
    if backend.overrides == "flat":
        return request.overrides
    is_said = backend.overrides == "nested" and (request.overrides or backend.requires_context)
    return {"overrides": request.overrides} if is_said else {}
