"""Everything that the app serves beside its page, at its addresses, in the process of the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from chat_ui.conversations.generations.recent_exchanges import inspections
from chat_ui.conversations.people.person import person_of
from chat_ui.protocol.backends.backend import Backend
from chat_ui.routes.answers import AnswerRoutes
from chat_ui.routes.cited_documents import CitedDocuments
from chat_ui.routes.conversation_list import ListRoutes
from chat_ui.routes.documents import DocumentRoutes
from chat_ui.routes.exports import ExportRoutes
from chat_ui.routes.given_feedback import FeedbackRoutes
from chat_ui.routes.images import AttachmentRoutes, ImageRoutes
from chat_ui.routes.inspection import InspectionRoutes
from chat_ui.routes.public.brand_files import BrandingRoutes
from chat_ui.routes.public.health import HealthRoutes
from chat_ui.routes.snapshots.shared_links import LinkRoutes
from chat_ui.routes.snapshots.shared_pages import SharedPages
from chat_ui.server import addresses
from chat_ui.server.middleware.callers import Callers
from chat_ui.server.middleware.identity import Cookies, People, proxy_at
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.middleware.unread import Unread
from chat_ui.server.services import build
from chat_ui.settings import Settings, link_days
from tests.demo.serving import serving


@contextmanager
def whole(folder: Path, **chosen: Any) -> Iterator[str]:
    """The address of an app with the settings `chosen`. `POST /ask?backend=URL` asks what its body says, and answers
    with the id of the answer, once that has ended unless the query says `running`; `GET /streams` counts the pages that
    follow one.
    """
    services = build(Settings(data_dir=folder, policy="local", **chosen), "127.0.0.1", 8000)
    conversations, processes = services.conversations, services.processes
    documents = DocumentRoutes(conversations, services.client_for, services.remembered_backend, processes)
    shown = services.settings.show_thoughts
    answers = AnswerRoutes(conversations, documents, processes, show_thoughts=shown)
    images = ImageRoutes(
        conversations, services.client_for, services.remembered_backend, processes, show_thoughts=shown
    )
    exports = ExportRoutes(
        conversations.lists,
        processes,
        services.uploads,
        services.settings.answer_bytes,
        CitedDocuments(services.client_for, services.remembered_backend),
        show_thoughts=shown,
    )
    token = services.settings.feedback_token
    feedback = FeedbackRoutes(conversations, processes, has_token=token is not None)
    readers = services.link_readers
    snapshots = None if readers == "off" else conversations.snapshots
    links = LinkRoutes(
        conversations,
        processes,
        "a secret",
        exports,
        pages=addresses.SNAPSHOTS,
        readers=readers,
        most_days=link_days(services.settings),
        keep_days=services.settings.retention_days or None,
    )
    shared_pages = SharedPages(snapshots, signed_in=readers == "signed-in")

    async def page(_: Request) -> Response:
        return HTMLResponse("a page, so that the browser gets its cookie")

    async def ask(request: Request) -> Response:
        conversation = conversations.start(person_of(request))
        question, backend = (await request.body()).decode(), Backend(request.query_params["backend"])
        generation = conversation.ask(services.client, backend, question, {}).generation
        if "running" not in request.query_params:
            await generation.wait_for_end()
        return PlainTextResponse(generation.id)

    async def streams(_: Request) -> Response:
        return PlainTextResponse(str(answers.streams))

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        await conversations.begin()
        yield
        await conversations.end_running(0)
        await conversations.end()
        await processes.end()
        await services.uploads.end()
        await services.client.aclose()

    app = Starlette(
        routes=[
            Route("/", page),
            *BrandingRoutes(services.branding).routes(),
            Route("/ask", ask, methods=["POST"]),
            Route("/streams", streams),
            *HealthRoutes(conversations).routes(),
            Mount(
                addresses.ANSWERS,
                routes=[
                    *InspectionRoutes(conversations, inspections).routes(),
                    *answers.routes(),
                    *documents.routes(),
                    *images.routes(),
                    *feedback.of_answers(),
                ],
            ),
            Mount(addresses.FEEDBACK, routes=feedback.files()),
            Mount(addresses.ATTACHMENTS, routes=AttachmentRoutes(services.attachments).routes()),
            Mount(
                addresses.CONVERSATIONS,
                routes=[*exports.routes(), *ListRoutes(conversations.lists, snapshots).routes()],
            ),
            Mount(addresses.SHARED, routes=links.routes() if snapshots is not None else []),
            Route(addresses.SNAPSHOTS, shared_pages.page),
            Mount(addresses.SNAPSHOTS, routes=shared_pages.routes()),
        ],
        lifespan=running,
    )
    spoken = Languages(Unread(app), services.languages)
    proxy = proxy_at(services.settings.trusted_proxies, services.settings.identity_header, None)
    people = People(
        Callers(spoken),
        Cookies("a secret"),
        proxy,
        without_cookies=addresses.SNAPSHOTS,
        operator_token=token.get_secret_value() if token is not None else "",
    )
    with serving(people) as url:
        yield url
