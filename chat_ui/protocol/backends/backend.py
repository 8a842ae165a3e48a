"""The typed description of a backend, a request to it, and the ways to ask it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Self, TypeAlias
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.events import Json, JsonObject, SessionState

Streaming: TypeAlias = Literal["auto", "path", "body", "server"]
Overrides: TypeAlias = Literal["nested", "flat", "body", "options", "none"]
KeyHeader: TypeAlias = Literal["Authorization", "api-key"]
Files: TypeAlias = Literal["none", "multipart", "multipart-file", "parts", "images"]
RunAct: TypeAlias = Literal["stream", "cancel"]

SPECIFICATION_OVERRIDES: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "suggest_followup_questions",
    "use_oid_security_filter", "use_groups_security_filter", "vector_fields", "use_gpt4v", "gpt4v_input",
)  # fmt: skip
"""The keys of `context.overrides` that the specification names."""
HISTORY_METADATA: Final = "history_metadata"
"""The key of the Azure sample app's session state."""
_FLAG_PATHS = re.compile(r"/(?:chat/completions|completions|responses|api/generate)/?\Z")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a message: its `name`, its `media_type` such as `image/png`, and its bytes."""

    name: str
    media_type: str
    data: bytes = field(repr=False)

    @property
    def data_uri(self) -> str:
        """The file as a `data:` URI (RFC 2397)."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the conversation; `role` is `user`, `assistant` or `system`."""

    role: str
    content: str
    files: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A question with the conversation before it.

    `messages` is the full history, oldest first, the question last. `overrides` are the options of the backend
    (`temperature`, `suggest_followup_questions`, …). `session_state` is the last one received. `conversation` is an id
    for the backend, the same for all questions of a conversation. It cannot be guessed, and does not reveal the page's
    own id. `unknown` counts the last messages after the `session_state`, including the question: a server that keeps
    the conversation has all earlier ones. The answer is read only up to its first text if `until_text`.
    With `resume`, decisions on a pause are sent, and `messages` end with the question that was paused.
    """

    messages: tuple[Message, ...]
    overrides: JsonObject = field(default_factory=dict)
    session_state: SessionState | None = None
    conversation: str = field(default_factory=lambda: str(uuid4()), compare=False)
    new_message_count: int = 1
    until_text: bool = False
    resume: Resume | None = None


@dataclass(frozen=True, slots=True)
class RequestFormat:
    """A form of questions other than the AI Chat Protocol's.

    `message` gives the JSON of a message at an index of the conversation, from 0. `body` gives the whole body around
    these messages, without the value of `stream` and the backend's `extra_body`. `otherwise` is the form for a server
    that refuses this one in words that `refusal` matches. `address` gives the address of a question by that of a way to
    ask, for a backend whose address names the conversation. `headers` go with each question. `lost` matches the words
    of a server that lost the session state: the question is sent again with only the state's own key. `run` is for
    backends whose answers outlive their connection. By the address of a question and the headers of its response, it
    gives the address where the `stream` of the answer goes on, or where to `cancel` it; empty without one.
    """

    message: Callable[[Message, int], JsonObject]
    body: Callable[[Backend, ChatRequest, list[Json]], dict[str, Json]]
    otherwise: RequestFormat | None = None
    refusal: re.Pattern[str] | None = None
    address: Callable[[str, ChatRequest], str] = lambda url, _: url
    headers: Mapping[str, str] = field(default_factory=dict)
    lost: re.Pattern[str] | None = None
    run: Callable[[str, Mapping[str, str], RunAct], str] | None = None


@dataclass(frozen=True, slots=True)
class Backend:
    """The description of one backend: its address, and the form of its requests and answers.

    Attributes:
        url: the typed address, as `parse_backend_url` returns it.
        stream: whether answers are asked for as streams.
        dialect: fixes how answers are read; `auto` goes by what arrives.
        streaming: how a stream is asked for: by `path` (`…/stream`), by `body` (`"stream": true`), or not at all
            because the `server` decides; `auto` goes by the URL and tries the path first.
        streams_only: whether the backend cannot give a whole answer: a stream is asked for whatever `stream` says.
        request_format: the form of its questions; None for the AI Chat Protocol's, which the following fields vary.
        messages_key: the key of the list of messages.
        overrides: the place of options: `nested` in `context.overrides`, `flat` in `context`, `body` beside the
            messages, in `options` (Ollama). `none` sends neither options nor a context, since some backends refuse it.
        known_overrides: the options that the backend reads; None if unknown.
        requires_context: `context.overrides` is sent even when it is empty.
        session_state_key: the key of the session state; None sends it back under the key it came with.
        history: sends the `full` conversation, or the `last` message to a backend that keeps the rest.
        files: the form of files: parts of a `multipart` form beside a field `json` (the protocol's TypeSpec), or beside
            a file of that name (`multipart-file`), content `parts` (`image_url`), base64 `images` of a message
            (Ollama), or not at all.
        file_types: the beginnings of the media types of files that it is known to take; empty text for any type.
        headers: sent with every request.
        key_header: the header of the key: `Authorization` (as a bearer token) or `api-key` (Azure).
        person_header: the header of the person's token where that goes beside a key; empty: `Authorization`.
        model: the model's name, where the backend wants one.
        extra_body: merged into the body.
        documents: the address of cited documents: a template as `parse_document_template` returns it; empty if the
            backend gives out no documents, None if unknown.
        profile: the id of the backend's profile; empty without one.
        name: the name for people; may be empty.
        fingerprint: the SHA-256 fingerprint of the one trusted certificate; empty if an authority vouches for the
            server.
        recording: the name, given by the page's server, of the recording that answers in the backend's place; else
            empty.
    """

    url: str
    stream: bool = True
    dialect: str = "auto"
    streaming: Streaming = "auto"
    streams_only: bool = False
    request_format: RequestFormat | None = None
    messages_key: Literal["messages", "input"] = "messages"
    overrides: Overrides = "nested"
    known_overrides: tuple[str, ...] | None = None
    requires_context: bool = False
    session_state_key: str | None = None
    history: Literal["full", "last"] = "full"
    files: Files = "none"
    file_types: tuple[str, ...] = ("image/",)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_header: KeyHeader = "Authorization"
    person_header: str = ""
    model: str | None = None
    extra_body: JsonObject = field(default_factory=dict)
    documents: str | None = None
    profile: str = ""
    name: str = ""
    fingerprint: str = ""
    recording: str = ""

    @property
    def endpoint(self) -> str:
        """The address of its answers: that of its streams if it only streams."""
        return attempts(self)[0].url if self.streams_only else self.url

    @property
    def format_headers(self) -> Mapping[str, str]:
        """The headers of the form of its questions, without credentials."""
        return self.request_format.headers if self.request_format is not None else {}

    @property
    def takes_forms(self) -> bool:
        """Whether files go as parts of a form."""
        return self.files in {"multipart", "multipart-file"}

    def takes(self, media_type: str) -> bool:
        """Whether it is known to take files of that type."""
        return self.files != "none" and media_type.startswith(self.file_types)

    @property
    def is_undescribed(self) -> bool:
        """Whether the form of its questions is still to be found out."""
        return configured_like(Backend(self.url), self) == self

    @property
    def memory(self) -> JsonObject:
        """Its description in a conversation, as JSON: enough to identify it, without a credential."""
        return {
            "url": self.url,
            "dialect": self.dialect,
            "stream": self.stream,
            **({"documents": self.documents} if self.documents is not None else {}),
            **({"profile": self.profile} if self.profile else {}),
            **({"name": self.name} if self.name else {}),
            **({"recording": self.recording} if self.recording else {}),
        }

    def with_api_key(self, api_key: str) -> Self:
        """This backend with `api_key` in its `key_header`."""
        value = f"Bearer {api_key}" if self.key_header == "Authorization" else api_key
        return replace(self, headers={**self.headers, self.key_header: value})


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one exchange, in seconds and bytes.

    `total_timeout` bounds the whole answer; None leaves it unbounded. `error_body_timeout` bounds the wait for the
    words of an HTTP error, after its status. An answer that can be continued is asked for again after each of the
    `resume_waits`; an event that comes begins them anew. A JSON value of more than `value_parts` parts (see
    `json_text.parts_in`) or `value_bytes` is not read.
    """

    connect_timeout: float = 5.0
    first_byte_timeout: float = 120.0
    idle_timeout: float = 60.0
    error_body_timeout: float = 5.0
    total_timeout: float | None = None
    value_bytes: int = 32 * 1024 * 1024
    value_parts: int = 10_000_000
    answer_bytes: int = 64 * 1024 * 1024
    resume_waits: tuple[float, ...] = (0.2, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A way to ask: the address of the POST, and the value of `stream` in the body (None: left out)."""

    url: str
    stream_flag: bool | None = None


def attempts(backend: Backend) -> tuple[Attempt, ...]:
    """The ways to ask `backend`, best first; the next is tried only if the one before is missing."""
    base = without_stream(backend.url)
    stream = backend.stream or backend.streams_only
    match backend.streaming:
        case "server":
            return (Attempt(backend.url),)
        case "body":
            return (Attempt(backend.url, stream),)
        case "path":
            return (Attempt(_with_stream(base) if stream else base),)
        case "auto":
            if _FLAG_PATHS.search(urlsplit(backend.url).path):
                return (Attempt(backend.url, stream),)
            if not stream:
                return (Attempt(base),)
            return (Attempt(_with_stream(base)), Attempt(base, True))


def address_of(backend: Backend, request: ChatRequest, way: Attempt) -> str:
    """The address of a question that is asked in that way."""
    return backend.request_format.address(way.url, request) if backend.request_format is not None else way.url


def configured_like(form: Backend, asked: Backend) -> Backend:
    """The backend that `form` describes, with the credentials, model, streaming and profile of `asked`."""
    return replace(
        form,
        headers=asked.headers,
        key_header=asked.key_header,
        dialect=form.dialect if asked.dialect == "auto" else asked.dialect,
        model=asked.model or form.model,
        stream=asked.stream,
        extra_body=asked.extra_body,
        documents=asked.documents,
        profile=asked.profile,
        name=asked.name,
        fingerprint=asked.fingerprint,
        recording=asked.recording,
    )


def without_stream(url: str) -> str:
    """`url` without the `/stream` that its path may end in."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path.removesuffix("/stream"))) if path.endswith("/stream") else url


def _with_stream(base: str) -> str:
    parts = urlsplit(base)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + "/stream"))


def is_header_name(name: str) -> bool:
    """Whether a header can have that name: a token of RFC 9110, 5.6.2."""
    return _TOKEN.fullmatch(name) is not None
