"""The services of a deployment, for the person who chose its backend."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.backends.backends import Backends
from chat_ui.backends.offer import backend_name
from chat_ui.conversations.conversations import Conversations
from chat_ui.errors import VaultError
from chat_ui.features.deployment.azure_voice import VoiceRoute
from chat_ui.features.deployment.own_files import OwnFiles
from chat_ui.page.routes.owned import NO_STORE, Endpoint, for_person, owned, text_response
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import Advice
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg

ServiceResource: TypeAlias = Callable[[Request, str, Backend, Advice], Awaitable[Response]]
"""Gets the request, the person, and the backend with its advice."""
NOT_ON_OFFER: Final = msg("This backend is not on offer any more. Choose another one.")


class DeploymentRoutes:
    """Each resource names its backend in `of`, by the JSON of `Backend.memory`, or an answer of it in its path."""

    def __init__(self, backends: Backends, conversations: Conversations, upload_bytes: int) -> None:
        self._backends = backends
        self._conversations = conversations
        self._files = OwnFiles(backends, upload_bytes)

    def routes(self) -> list[Route]:
        files, voice = self._files, VoiceRoute(self._backends)
        return [
            Route("/", self.of_backend(self._services)),
            Route("/files", self.of_backend(files.names)),
            Route("/files", self.of_backend(files.take), methods=["POST"]),
            Route("/files", self.of_backend(files.delete), methods=["DELETE"]),
            Route("/{answer}/speech", owned(self._conversations, voice.speech), methods=["POST"]),
        ]

    def of_backend(self, resource: ServiceResource) -> Endpoint:
        """An endpoint for `resource` of a backend; 409 if the person cannot choose that backend."""

        async def respond(request: Request, person: str) -> Response:
            memory = _memory(request.query_params.get("of", ""))
            try:
                backend = await self._backends.remembered(memory, person)
            except (VaultError, ValueError) as problem:
                return text_response(str(problem), 409)
            if backend is None:
                return text_response(NOT_ON_OFFER, 409)
            backend = replace(backend, name=str(memory.get("name") or ""))
            return await resource(request, person, backend, await self._backends.advice(person, backend))

        return for_person(respond)

    async def _services(self, _request: Request, _person: str, backend: Backend, advice: Advice) -> Response:
        """The names of the deployment's services, and the name of the backend."""
        told = {"services": sorted(advice.services), "name": backend_name(backend.memory)}
        return JSONResponse(told, headers=NO_STORE)


def _memory(of: str) -> JsonObject:
    try:
        memory = json.loads(of)
    except (ValueError, RecursionError):
        return {}
    return memory if isinstance(memory, dict) else {}
