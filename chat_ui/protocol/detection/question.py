"""A question at a place, in the form of the backend there.

Some refusals name a key as missing (`context`, `input`, `messages`, `model`) or unwanted (a context). Then the question
is sent once more in the other form, as no model has answered it. After an answer, or a refusal for other reasons,
nothing more is sent: the last reply is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Final, Literal
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.backends.backend import Backend, ChatRequest, configured_like
from chat_ui.protocol.backends.request import is_form, request_body
from chat_ui.protocol.detection.requests import ABSENT, Record, Reply, Requests
from chat_ui.protocol.dialects.family import KnownBackend
from chat_ui.protocol.dialects.objects import list_in, string_in
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS, OF_ASSISTANTS, PLACES
from chat_ui.protocol.events import ErrorInfo, Event, JsonObject, SessionState
from chat_ui.protocol.transport.http_errors import is_unhandled, says_nothing
from chat_ui.protocol.transport.probe import Probe

MAX_FORMS: Final = 3
"""Forms in which a question is sent at most. All but the last were refused."""
OF_OPENAI: Final = re.compile(r"(.*)(?<!/protocols/openai)/(?:chat/completions|responses)")
"""A path of OpenAI's API, whose models are listed beside it, unless it is an agent's endpoint in Foundry."""
OF_LANGGRAPH: Final = re.compile(rf"(?!{OF_ASSISTANTS.pattern})(.*?)(?:/threads/[^/]+)?/runs(?:/stream)?")
"""A path of LangGraph's server, whose assistants stand for models."""
_OF_FOUNDRY: Final = re.compile(r"(.*/api/projects/[^/]+)/openai/v1/responses")
"""A path of a project of Microsoft Foundry, whose agents are listed in the project."""
SAYS_ABSENT: Final = re.compile(r"unexpected endpoint|(?:endpoint|route) not found", re.IGNORECASE)
"""The words of some model servers, such as LM Studio, with status 200 at a path they do not serve."""
_ELSEWHERE_THAN_AT_A_ROOT: Final = frozenset({403, 415})
"""Statuses of web servers for a question at their root, where the paths below may answer."""
REFUSALS: Final = frozenset({400, 404, 415, 422, 500, None})
"""Statuses of a refusal that may concern the form; None is an error within an answer of status 200."""
_WANTED: Final = (
    r"required|missing|must provide|must have|must be (?:set|given)|specified|undefined|null\b|none\b|empty"
)


def _misses(key: str, wanted: str = _WANTED) -> re.Pattern[str]:
    """Matches a refusal that says `key` is missing: in quotation marks without a value, or near such a word."""
    return re.compile(
        rf"['\"`“]{key}['\"`”](?!\s*:)|\b{key}\b(?! (?:should|length|window|limit))[^;]{{0,30}}?\b(?:{wanted})"
        rf"|\b(?:missing|required|requires?|provide|specify|keyerror)(?: \w+){{0,3}}[\W_]{{1,4}}{key}\b",
        re.IGNORECASE,
    )


_MISSES_CONTEXT: Final = _misses("(?:context|overrides)")
_MISSES_KEY: Final[Mapping[str, re.Pattern[str]]] = {"messages": _misses("messages"), "input": _misses("input")}
_MISSES_KEYS_OF: Final[Mapping[str, re.Pattern[str]]] = {
    name: _misses(f"(?:{known.wants})", rf"{_WANTED}|invalid input|expected")
    for name, known in KNOWN_BACKENDS.items()
    if known.wants
}
_MISSES_MODEL: Final = _misses("(?:model(?!'s)|assistant_id)", rf"{_WANTED}|not found|not exist")
_REFUSES_CONTEXT: Final = re.compile(
    r"\b(?:context|overrides)\b.{0,60}?(?:should be|must be|not permitted|not allowed|not supported|unexpected|unknown"
    r"|unrecogni[sz]ed)|(?:unexpected|unknown|unrecogni[sz]ed|additional|extra).{0,40}\b(?:context|overrides)\b",
    re.IGNORECASE | re.DOTALL,
)
_MISSES_LIST: Final = re.compile(
    r"(?:Cannot read propert\w+ of undefined \(reading '|undefined is not an object \(evaluating '[\w.]+\.)"
    r"(?:map|some|filter|find)'\)"
)
"""The words of V8 and of Bun for a missing list, such as the `parts` of a message."""


class Question:
    """A question over `requests`.

    `on_event` gets the events of a reply as they arrive, except those of a refusal (`Reply.refusal_events`). `record`
    gives the recorder of each sending.
    """

    def __init__(
        self, requests: Requests, question: ChatRequest, *, record: Record, on_event: Callable[[Event], object]
    ) -> None:
        self._requests = requests
        self._question = question
        self._record = record
        self._on_event = on_event
        self.models: tuple[str, ...] = ()
        """The models in the server's list."""
        self._lists_read: set[str] = set()
        """Addresses of the lists of models that were asked for."""

    async def ask_first_present(self, candidates: AsyncGenerator[Backend, None]) -> tuple[Reply | None, list[Reply]]:
        """The reply of the first of `candidates` that exists, else None; and the earlier refusals."""
        refusals: list[Reply] = []
        async with aclosing(candidates):
            async for backend in candidates:
                reply = await self.ask(backend)
                if not is_absent(reply):
                    return reply, refusals
                refusals.append(reply)
        return None, refusals

    async def ask(self, backend: Backend) -> Reply:
        """The reply of `backend`, asked in its form."""
        return await self.ask_on(await self._send(backend))

    async def ask_on(self, reply: Reply) -> Reply:
        """`reply`, or the reply to the question in another form or without a lost state if `reply` refuses these."""
        if (left := self._without_lost_state(reply)) is not None and self._requests.has_capacity_for(reply.backend):
            self._question = left
            reply = await self._send(reply.backend)
        shown, backend = reply, reply.backend
        asked = [backend]
        guesses: list[Backend] = []
        while reply.refusal is not None and len(asked) < MAX_FORMS:
            form, is_guess = await self._next_form(reply, guesses)
            if form is None or not self._requests.has_capacity_for(form):
                break
            # The way of asking for a stream was found meanwhile, and does not make another form.
            new = replace(form, streaming=backend.streaming) if form.request_format is backend.request_format else form
            if new in asked:
                break
            asked.append(new)
            reply = await self._send(form)
            if not (is_guess and self._is_wrong(reply)):
                shown = reply
        return shown

    def _without_lost_state(self, reply: Reply) -> ChatRequest | None:
        """The question with only the state's own key, if the server lost the rest; else None."""
        form, error, state = reply.backend.request_format, reply.refused_with, self._question.session_state
        if error is None or form is None or form.lost is None or state is None or not form.lost.search(error.message):
            return None
        left = {state.key: state.value.get(state.key)} if isinstance(state.value, Mapping) else state.value
        return replace(self._question, session_state=SessionState(state.key, left)) if left != state.value else None

    def _is_wrong(self, reply: Reply) -> bool:
        """Whether a guessed form is refused as well: then the refusal before it says more."""
        error = reply.refused_with
        if error is None:
            return False
        return says_nothing(error) or form_from_refusal(reply.backend, self._question, error) is not None

    async def _send(self, backend: Backend) -> Reply:
        return await self._requests.ask(backend, self._question, self._record(backend), self._on_event)

    async def _next_form(self, reply: Reply, guesses: list[Backend]) -> tuple[Backend | None, bool]:
        """The form to ask in after a refusal, and whether it is a guess: the next of `guesses`, which are made here."""
        error, backend = reply.refused_with, reply.answered.backend
        if error is None or reply.status is None:
            return None, False
        if misses_model(backend, error):
            named = await self.with_model(backend)
            return (named if named.model else None), False
        form = form_from_refusal(backend, self._question, error)
        if form is not None:
            return form, False
        if not guesses:
            guesses += guessed_forms(backend, error)
        elif not says_nothing(error):
            return None, False
        return (guesses.pop(0) if guesses else None), True

    async def with_model(self, backend: Backend) -> Backend:
        """`backend` with the first model of its server's list, unless it names one."""
        parts = urlsplit(backend.url)
        of_openai, of_foundry = OF_OPENAI.fullmatch(parts.path), _OF_FOUNDRY.fullmatch(parts.path)
        path = f"{of_openai[1]}/models" if of_openai else "/api/tags"
        place = urlunsplit(parts._replace(path=path, query=""))
        if of_foundry:
            place = urlunsplit(parts._replace(path=f"{of_foundry[1]}/agents", query="api-version=v1"))
        method, body = "GET", b""
        if of_langgraph := OF_LANGGRAPH.fullmatch(parts.path):
            place = urlunsplit(parts._replace(path=f"{of_langgraph[1]}/assistants/search", query=""))
            method, body = "POST", b"{}"
        if not (backend.model or self.models or place in self._lists_read):
            self._lists_read.add(place)
            probe = await self._requests.probe(method, place, body)
            if probe is not None:
                self.models = _models_in(probe)
                count = len(self.models)
                self._requests.note(probe, f"lists {count or 'no'} model{'' if count == 1 else 's'}")
        return replace(backend, model=backend.model or next(iter(self.models), None))


def is_absent(reply: Reply) -> bool:
    """Whether the reply shows that the place lacks a chat backend: nothing at all, or pages."""
    error = reply.refused_with
    if error is None:
        return False
    at_root = not urlsplit(reply.backend.url).path.strip("/")
    if error.status in ABSENT:
        # A missing place does not mention models.
        return "model" not in error.message.lower()
    if reply.status == 200 and SAYS_ABSENT.search(error.message):
        return True
    if is_of_json_rpc(reply):
        return True
    says_nothing = error.code == "empty_answer" and reply.answered.dialect is None
    return error.code == "html_page" or (
        at_root and (says_nothing or error.code == "redirect" or error.status in _ELSEWHERE_THAN_AT_A_ROOT)
    )


def is_of_json_rpc(reply: Reply) -> bool:
    """Whether a server of JSON-RPC refused another form, as an agent of A2A does with status 200."""
    return "jsonrpc" in reply.answered.first_object and reply.backend.request_format is None


def _models_in(probe: Probe) -> tuple[str, ...]:
    try:
        value = json.loads(probe.body)
    except (ValueError, RecursionError):
        return ()
    if probe.status != 200:
        return ()
    if isinstance(value, list):
        return tuple(dict.fromkeys(filter(None, (string_in(assistant, "graph_id") for assistant in value))))
    listed = list_in(value, "data") or list_in(value, "models")
    return tuple(filter(None, (string_in(entry, "id", "name") for entry in listed)))


def misses_model(backend: Backend, error: ErrorInfo) -> bool:
    """Whether `error` asks for a model, and the backend does not name one."""
    return not backend.model and error.status in REFUSALS - {None} and bool(_MISSES_MODEL.search(error.message))


def wanted_by(said: str) -> KnownBackend | None:
    """The known backend whose form the words of a refusal ask for, else None."""
    return next((KNOWN_BACKENDS[name] for name, misses in _MISSES_KEYS_OF.items() if misses.search(said)), None)


def form_from_refusal(backend: Backend, question: ChatRequest, error: ErrorInfo) -> Backend | None:
    """`backend` in the form that `error`, its refusal of `question`, asks for, else None."""
    if error.status not in REFUSALS:
        return None
    said, form = error.message, backend
    wanted = wanted_by(said) if error.status is not None else None
    if wanted is not None and wanted.template.request_format is not backend.request_format:
        return configured_like(wanted.at(backend.url), backend)
    if backend.request_format is not None:
        refusal = backend.request_format.refusal
        in_other = (
            replace(backend, request_format=backend.request_format.otherwise)
            if refusal and refusal.search(said)
            else backend
        )
        return in_other if _asks(in_other, question) != _asks(backend, question) else None
    if error.status == 415 and backend.stream and is_form(backend, question):
        # Microsoft's sample in C# takes files only without a stream.
        form = replace(form, stream=False)
    sends_context = backend.overrides in {"nested", "flat"} and (question.overrides or backend.requires_context)
    if sends_context and _REFUSES_CONTEXT.search(said):
        is_flat = backend.overrides == "nested" and "context/overrides" in said
        form = replace(form, overrides="flat" if is_flat else "none", requires_context=False)
    elif _MISSES_CONTEXT.search(said):
        form = replace(form, overrides="nested", requires_context=True)
    other: Literal["messages", "input"] = "input" if backend.messages_key == "messages" else "messages"
    if _MISSES_KEY[other].search(said):
        form = replace(form, messages_key=other)
    return form if form != backend else None


def guessed_forms(backend: Backend, error: ErrorInfo) -> list[Backend]:
    """Other forms that an undescribed `backend` may take, likelier ones first, if `error` does not name a key.

    Backends without checks fail like this over a missing key. Likeliest is a known backend with a similar path, such as
    the AI SDK at `/api/chat`. Next.js reports such a failure without a word. Guessed backends lack a path for streams.
    """
    if backend.request_format is not None:
        return []
    path = urlsplit(backend.url).path.rstrip("/")
    first: list[Backend] = []
    last: list[Backend] = []
    # At paths of chat backends a model may have failed: a readable form would ask it a second time.
    may_ask_again = path.endswith(PLACES) and is_unhandled(error)
    for known in KNOWN_BACKENDS.values() if backend.streaming != "path" else ():
        if known.guessed_at is not None:
            is_likely = known.guessed_at.search(path) is not None
            if is_likely or not (may_ask_again and known.has_plain_messages):
                (first if is_likely else last).append(configured_like(known.at(backend.url), backend))
    if is_unhandled(error):
        with_input = [replace(backend, messages_key="input")] if backend.messages_key == "messages" else []
        return [*first, *with_input, *last]
    if _MISSES_LIST.search(error.message):
        return [*first, *last]
    return first if says_nothing(error) else []


def _asks(backend: Backend, question: ChatRequest) -> JsonObject:
    return request_body(backend, question, stream_flag=None)
