"""Answers worded by a language model from the retrieved passages, where the operator names one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import httpx

from chat_ui.demo.answering import Finding
from chat_ui.demo.library import COMPANY
from chat_ui.protocol.dialects import DialectReader
from chat_ui.protocol.events import Failed, Json, JsonObject, TextDelta
from chat_ui.protocol.framing import Framed, Framer
from chat_ui.settings import Settings

INSTRUCTION = f"""\
You answer questions of the employees of {COMPANY} from the sources below and from nothing else. Be brief. \
Say so when the sources do not hold the answer. Each source begins with its name in square brackets: \
put that name in square brackets after each sentence that uses it, as in [Leave_Policy.pdf#page=2]. \
Name two sources separately: [a.md][b.pdf#page=1]. Answer in the language of the question."""

TIMEOUT = httpx.Timeout(60.0, connect=5.0)


class WordingError(Exception):
    """The model could not word an answer; `message` says why, for a person."""

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


async def worded(settings: Settings, messages: Sequence[JsonObject]) -> AsyncIterator[str]:
    """The model's text as it comes, from `settings.demo_llm_url` (with or without `/chat/completions`).

    Raises:
        WordingError: the endpoint cannot be reached, refuses, reports an error or sends no text.
    """
    url = (settings.demo_llm_url or "").rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    key = settings.demo_llm_key
    headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    body: dict[str, Json] = {"model": settings.demo_llm_model, "messages": list(messages), "stream": True}
    said_something = False
    try:
        async with (
            httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client,
            client.stream("POST", url, json=body, headers=headers) as response,
        ):
            if response.is_error:
                raise WordingError(f"The language model answered with HTTP status {response.status_code}.")
            framer, reader = Framer(), DialectReader()
            async for chunk in response.aiter_bytes():
                for item in framer.feed(chunk):
                    for event in reader.read(item) if isinstance(item, Framed) else ():
                        if isinstance(event, Failed):
                            raise WordingError(f"The language model failed: {event.error.message}")
                        if isinstance(event, TextDelta) and event.text:
                            said_something = True
                            yield event.text
    except httpx.HTTPError as error:
        raise WordingError(
            f"The language model cannot be reached or broke off ({type(error).__name__})."
        ) from error
    if not said_something:
        raise WordingError("The language model answered with nothing.")
