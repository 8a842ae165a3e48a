"""Answers worded by a language model from the retrieved passages, where the operator names one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from chat_ui.demo.answering import Finding
from chat_ui.demo.library import COMPANY
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.events import CutOff, Failed, JsonObject, TextDelta
from chat_ui.protocol.transport.client import Client
from chat_ui.settings import Settings

INSTRUCTION = f"""\
You answer questions of the employees of {COMPANY} from the sources below and from nothing else. Be brief. \
Say so when the sources do not hold the answer. Each source begins with its name in square brackets: \
put that name in square brackets after each sentence that uses it, as in [Leave_Policy.pdf#page=2]. \
Name two sources separately: [a.md][b.pdf#page=1]. Answer in the language of the question."""


class WordingError(Exception):
    """The model worded no answer; `message` says why, for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def prompt(finding: Finding) -> tuple[JsonObject, ...]:
    """The messages for the model: the instruction, then the question with the passages that were found."""
    sources = "\n\n".join(f"[{hit.passage.id}] {hit.passage.text}" for hit in finding.hits)
    return (
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": f"{finding.query.question}\n\nSources:\n\n{sources}"},
    )


async def worded(settings: Settings, messages: Sequence[JsonObject]) -> AsyncGenerator[str, None]:
    """The model's text as it comes, from `settings.demo_llm_url` (with or without `/chat/completions`).

    Raises:
        WordingError: the endpoint cannot be reached, refuses, reports an error, breaks off or sends no text.
    """
    url = (settings.demo_llm_url or "").rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    key = settings.demo_llm_key
    backend = Backend(
        url,
        streaming="body",
        model=settings.demo_llm_model,
        headers={"Authorization": f"Bearer {key.get_secret_value()}"} if key else {},
    )
    request = ChatRequest(tuple(Message(str(one["role"]), str(one["content"])) for one in messages))
    silent = True
    async with Client() as client, aclosing(client.stream(backend, request)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    silent = False
                    yield text
                case Failed(error):
                    raise WordingError(f"The language model failed: {error.message}")
                case CutOff(reason):
                    raise WordingError(f"The language model broke off: {reason}")
    if silent:
        raise WordingError("The language model answered with nothing.")
