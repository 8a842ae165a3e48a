"""Resources of a person, which other people cannot see.

`{name:index}` in paths is a number of up to nine digits. Starlette's `int` takes any number of digits, and Python
rejects integers above 4,300 digits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, TypeAlias
from weakref import WeakValueDictionary

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.people.person import person_of
from chat_ui.errors import LimitReachedError, NoPlaceError, StoreUnavailableError, TooCostlyError, VaultUnavailableError
from chat_ui.languages.translation import translated
from chat_ui.protocol.translatable import msg

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
PersonsResource: TypeAlias = Callable[[Request, str], Awaitable[Response]]
Resource: TypeAlias = Callable[[Request, str, Generation], Awaitable[Response]]
"""Gets the request, the person and the answer."""
NO_STORE: Final = {"Cache-Control": "no-store"}


class _IndexConvertor(IntegerConvertor):
    regex = "[0-9]{1,9}"


register_url_convertor("index", _IndexConvertor())


def text_response(words: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Text for the person, in the language of the request; not cached unless `headers` allow it."""
    return PlainTextResponse(translated(words), status_code=status, headers={**NO_STORE, **(headers or {})})


def no_conversation() -> Response:
    return text_response(msg("Conversation not found."), 404)


def status_of(generation: Generation) -> dict[str, str]:
    """The header with an answer's status; read it before rendering the answer."""
    return {"X-Status": str(generation.status)}


def for_person(resource: PersonsResource) -> Endpoint:
    """An endpoint that knows its person. It reports if the store is unavailable or full, or too many files wait."""

    async def endpoint(request: Request) -> Response:
        person = person_of(request)
        if not person:
            return text_response(msg("Open the page first."), 403)
        return await _told(resource, request, person)

    return endpoint


async def _told(resource: PersonsResource, request: Request, person: str) -> Response:
    try:
        return await resource(request, person)
    except LimitReachedError as reached:
        return text_response(str(reached), 507)
    except NoPlaceError:
        words = msg("Too many files are being read at the moment. Try again in a few seconds.")
        return text_response(words, 503, {"Retry-After": "5"})
    except StoreUnavailableError:
        return text_response(StoreUnavailableError.refusal, 503, {"Retry-After": "2"})
    except VaultUnavailableError as unavailable:
        return text_response(str(unavailable), 503, {"Retry-After": "2"})


def owned(conversations: Conversations, resource: Resource) -> Endpoint:
    """An endpoint for `resource` of the answer in the path; 404 also for other people's answers."""

    async def endpoint(request: Request) -> Response:
        person = person_of(request)
        try:
            generation = await conversations.answer(person, request.path_params["answer"])
            if not person or generation is None:
                return text_response(msg("Answer not found."), 404)
            return await resource(request, person, generation)
        except StoreUnavailableError:
            return text_response(
                msg("Answers cannot be read at the moment. Try again in a moment."), 503, {"Retry-After": "2"}
            )
        except TooCostlyError:
            # It would take as long on a soon retry.
            again = {"Retry-After": "3600"}
            return text_response(msg("This takes too long to show."), 503, again)

    return endpoint


class Turns:
    """Serializes requests of a person whose responses have a conversation in memory until sent."""

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def one_at_a_time(self, resource: PersonsResource) -> PersonsResource:
        """The same resource, serialized for each person."""

        async def respond(request: Request, person: str) -> Response:
            turn = self._turns.setdefault(person, asyncio.Lock())
            return _InTurn(turn, partial(_told, resource, request, person))

        return respond


class _InTurn(Response):
    """A response that is made in its turn, which lasts until it is sent."""

    def __init__(self, turn: asyncio.Lock, respond: Callable[[], Awaitable[Response]]) -> None:
        super().__init__()
        self._turn = turn
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._turn:
            response = await self._respond()
            await response(scope, receive, send)
