"""A client's request to the demo."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from chat_ui.features.demo.errors import BadRequestError
from chat_ui.protocol.events import JsonObject

Files: TypeAlias = "tuple[tuple[str, str, int], ...]"
"""The name, media type and size in bytes of each file in the messages."""
_FILE_NAME: Final = re.compile(r"messages\[\d+\]\.files\[\d+\]")
_UNNAMED_FILE: Final = re.compile(
    rb"^(Content-Disposition:[ \t]*form-data;[ \t]*name=(?P<quote>\"?)(messages\[\d+\]\.files\[\d+\])(?P=quote))"
    rb"(?=[ \t]*\r\n)",
    re.IGNORECASE | re.MULTILINE,
)
"""A file part's head without `filename`, as the protocol's official client sends a `Blob` and a stream."""
MAX_BODY = 24 * 1024 * 1024
"""Maximum bytes of a request body."""

MAX_TOP = 20
DEFAULT_TOP = 3


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question, the preceding question of the conversation, and the demo's options. `body` is the JSON of the
    request; `documents` is the address of the documents.
    """

    question: str
    previous: str | None = None
    top: int = DEFAULT_TOP
    suggest_followups: bool = True
    retrieval_mode: str | None = None
    stream: bool = False
    files: Files = ()
    body: JsonObject = field(default_factory=dict)
    documents: str = ""


async def read_request(request: Request, read: Callable[[object], ChatRequest]) -> ChatRequest:
    """The `ChatRequest` that `read` makes of the body's JSON.

    Raises:
        BadRequestError: the body is too large, is not a JSON object (or a form with one), or lacks a question.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise BadRequestError(f"The request is larger than {MAX_BODY} bytes.", 413, "too_large")
    files: Files = ()
    text: bytes | str = bytes(body)
    if request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        text, files = await _read_form(request.headers, bytes(body))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRequestError("The request body is not JSON.") from error
    chat = read(value)
    documents = str(request.url.replace(path=f"{request.scope['root_path']}/content/", query=""))
    return replace(chat, files=files or chat.files, body=value, documents=documents)


def parse_request(value: object) -> ChatRequest:
    """The `ChatRequest` of a JSON value.

    Raises:
        BadRequestError: the value is not an object, or lacks a question.
    """
    if not isinstance(value, Mapping):
        raise BadRequestError("The request body must be a JSON object.")
    questions = _questions(value)
    context = _object(value, "context")
    overrides = _object(context, "overrides") if "overrides" in context else context
    previous = questions[-2] if len(questions) > 1 else _question_before(value)
    mode = overrides.get("retrieval_mode")
    return ChatRequest(
        question=questions[-1],
        previous=previous,
        top=_top(overrides.get("top")),
        suggest_followups=overrides.get("suggest_followup_questions") is not False,
        retrieval_mode=mode if isinstance(mode, str) else None,
        stream=value.get("stream") is True,
        files=_files(value.get("messages") or value.get("input")),
    )


def session_state(question: str) -> str:
    """State for the client to send back, with the question that a follow-up may refer to."""
    return base64.urlsafe_b64encode(json.dumps({"question": question[:1000]}).encode()).decode()


def _questions(value: Mapping[str, Any]) -> list[str]:
    messages = value.get("messages")
    if messages is None:
        messages = value.get("input")
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, Sequence) or not messages:
        raise BadRequestError("The request needs “messages”, a list with at least one message.")
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise BadRequestError(f"messages[{number}] must be an object with “role” and “content”.")
    if messages[-1]["role"] != "user":
        raise BadRequestError("The last message must have the role “user”.")
    texts = [_content(message.get("content")) for message in messages if message["role"] == "user"]
    if not texts[-1].strip():
        raise BadRequestError("The last message has no question.")
    return texts


def _content(content: object) -> str:
    """A message's content: a string, or the texts of its parts; lone surrogates are replaced."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str):
        return ""
    return content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _files(messages: object) -> Files:
    """The files among the parts of the last message, like `ChatRequest.files`."""
    content = messages[-1].get("content") if isinstance(messages, list) else None
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []
    return tuple(file for number, part in enumerate(parts, 1) if (file := _file(part, f"file {number}")))


def _file(part: Mapping[str, Any], unnamed: str) -> tuple[str, str, int] | None:
    held = next((part[key] for key in ("image_url", "image", "source", "url") if key in part), None)
    media_type = part.get("mediaType")
    if isinstance(held, Mapping):
        media_type = held.get("mimeType")
        held = held.get("url") or held.get("value")
    if not isinstance(held, str):
        return None
    head, _, data = held.rpartition(",")
    named = part.get("metadata")
    name = (named if isinstance(named, Mapping) else part).get("filename")
    stated = media_type if isinstance(media_type, str) else head.removeprefix("data:").partition(";")[0]
    return name if isinstance(name, str) else unnamed, stated, 3 * len(data.rstrip("=")) // 4


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise BadRequestError(f"“{key}” must be an object.")
    return found


def _top(value: object) -> int:
    if value is None:
        return DEFAULT_TOP
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_TOP:
        return value
    raise BadRequestError(f"“top” must be a whole number from 1 to {MAX_TOP}.")


def _question_before(value: Mapping[str, Any]) -> str | None:
    """The question in a session state of the demo; None for other session states."""
    state = value.get("session_state", value.get("sessionState"))
    if not isinstance(state, str):
        return None
    try:
        carried = json.loads(base64.urlsafe_b64decode(state))
    except (ValueError, binascii.Error):
        return None
    question = carried.get("question") if isinstance(carried, dict) else None
    return question if isinstance(question, str) else None


async def _read_form(headers: Headers, body: bytes) -> tuple[str, Files]:
    """The text of the part `json` and the files of a form, with the boundary in `headers`. The protocol's TypeSpec
    sends files in such a form, with a part for each file of a message.
    """
    # Without a `filename`, the parser reads a part as text.
    named = _UNNAMED_FILE.sub(rb'\1; filename="\3"', body)

    async def chunks() -> AsyncGenerator[bytes, None]:
        yield named

    try:
        form = await MultiPartParser(headers, chunks(), max_part_size=max(1, len(named))).parse()
    except (MultiPartException, KeyError, UnicodeDecodeError) as error:
        raise BadRequestError("The form cannot be read.") from error
    text: str | None = None
    files: list[tuple[str, str, int]] = []
    for name, part in form.multi_items():
        if name == "json":
            text = part if isinstance(part, str) else (await part.read()).decode("utf-8", "replace")
        elif isinstance(part, UploadFile) and _FILE_NAME.fullmatch(name):
            files.append((part.filename or name, part.content_type or "", part.size or 0))
        else:
            raise BadRequestError(f"The form has an unknown part “{name[:80]}”. Name files as in messages[0].files[0].")
    await form.close()
    if text is None:
        raise BadRequestError("The form has no part “json”.")
    return text, tuple(files)
