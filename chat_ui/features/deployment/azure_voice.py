"""The voice of an answer's deployment, by the route `/speech` of azure-search-openai-demo. It needs no credential."""

from __future__ import annotations

import asyncio
import json
from typing import Final
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response

from chat_ui.backends.backends import Backends
from chat_ui.backends.offer import backend_name
from chat_ui.conversations.generations.generation import Generation
from chat_ui.errors import VaultError
from chat_ui.page.routes.bodies import json_of
from chat_ui.page.routes.owned import NO_STORE, text_response
from chat_ui.protocol.detection.advice import NO_ADVICE
from chat_ui.protocol.translatable import msg

_MOST_CHARACTERS: Final = 1000
_MOST_BODY_BYTES: Final = 16 * 1024
_MOST_SOUND_BYTES: Final = 2 * 1024 * 1024
_SECONDS: Final = 10
_AT_ONCE: Final = 2
"""Requests of a person."""


class VoiceRoute:
    def __init__(self, backends: Backends) -> None:
        self._backends = backends
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def speech(self, request: Request, person: str, generation: Generation) -> Response:
        """The sound of the body's `text`; 404 if the answer's deployment does not have a voice."""
        try:
            backend = await self._backends.remembered(generation.asked_of, person)
        except (VaultError, ValueError) as problem:
            return text_response(str(problem), 409)
        advice = NO_ADVICE if backend is None else await self._backends.advice(person, backend)
        address = advice.services.get("voice")
        if backend is None or address is None:
            return Response(status_code=404, headers=NO_STORE)
        body = await json_of(request, _MOST_BODY_BYTES)
        text = body.get("text") if isinstance(body, dict) else None
        if not isinstance(text, str) or not 0 < len(text) <= _MOST_CHARACTERS:
            return Response(status_code=422, headers=NO_STORE)
        client = self._backends.client.pinning_for(backend)
        asked, json_type = json.dumps({"text": text}).encode(), {"Content-Type": "application/json"}
        async with self._turns.setdefault(person, asyncio.Semaphore(_AT_ONCE)):
            spoken = await client.probe("POST", address, json_type, asked, _MOST_SOUND_BYTES + 1, seconds=_SECONDS)
        is_sound = spoken.headers.get("content-type", "").lower().startswith("audio/")
        if spoken.status != 200 or not is_sound or not 0 < len(spoken.body) <= _MOST_SOUND_BYTES:
            return text_response(msg("{name}'s voice failed.", name=backend_name(generation.asked_of)), 409)
        return Response(spoken.body, media_type="application/octet-stream", headers=NO_STORE)
