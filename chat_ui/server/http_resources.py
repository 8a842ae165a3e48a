"""All that a server answers over HTTP: its resources at their addresses, and the middleware around them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from chat_ui.features.branding.accents import style_of_accent_by_scheme
from chat_ui.features.branding.brand_files import BrandingRoutes
from chat_ui.features.branding.branding import LOGOS
from chat_ui.features.demo.app import demo_app
from chat_ui.features.embedding.routes import EmbeddingRoutes
from chat_ui.features.exporting.exports import ExportRoutes
from chat_ui.features.feedback.given_feedback import FeedbackRoutes
from chat_ui.features.presenting.routes import NotesRoutes, ScriptRoutes
from chat_ui.features.sharing.snapshots import LinkRoutes, SharedPages
from chat_ui.page.routes.answers import AnswerRoutes
from chat_ui.page.routes.conversation_list import ListRoutes
from chat_ui.page.routes.documents import CitedDocuments, DocumentRoutes
from chat_ui.page.routes.images import AttachmentRoutes, ImageRoutes
from chat_ui.page.routes.renderings import Renderings
from chat_ui.rendering.exported_page.page_document import Look
from chat_ui.server import addresses
from chat_ui.server.built_page import MESSAGES
from chat_ui.server.middleware.callers import Callers
from chat_ui.server.middleware.identity import Cookies, OwnOriginOnly, People, networks_of, proxy_at
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.middleware.request_log import RequestLog, failed
from chat_ui.server.middleware.security_headers import SecurityHeaders
from chat_ui.server.middleware.unread import SocketLimit, Unread
from chat_ui.server.public.health import HealthRoutes
from chat_ui.server.public.scripts import SERVICE_WORKER, PageWords
from chat_ui.server.services import Services, cookie_secret
from chat_ui.settings import link_days


class HttpResources:
    """The resources of a server with these `services`; the folder `pages` has the built page once they are served."""

    def __init__(self, services: Services, pages: Path) -> None:
        self._services = services
        self._settings = services.settings
        self._pages = pages
        backends = services.client_for, services.remembered_backend
        conversations, processes, shown = services.conversations, services.processes, services.settings.show_thoughts
        renderings = Renderings(processes)
        self._documents = DocumentRoutes(conversations, *backends, processes)
        self._answers = AnswerRoutes(
            conversations, self._documents, renderings, processes, pace=services.pace, show_thoughts=shown
        )
        self._images = ImageRoutes(conversations, *backends, renderings, show_thoughts=shown)
        self._feedback = FeedbackRoutes(
            conversations, renderings, has_token=services.settings.feedback_token is not None
        )
        self.words = PageWords(services.languages, addresses.LANGUAGES, self._listed_messages)

    @property
    def streams(self) -> int:
        """How many pages follow an answer now."""
        return self._answers.streams

    def around(self, page: ASGIApp) -> ASGIApp:
        """The app that answers everything, with `page` for what has no other address here."""
        chosen, services = self._settings, self._services
        secret = cookie_secret(chosen)
        failing = {Exception: failed}
        pages = Starlette(routes=[Mount("/", app=page)], exception_handlers=failing)
        routes = Starlette(routes=[*self._routes(secret), Mount("/", app=pages)], exception_handlers=failing)
        proxies = networks_of(chosen.trusted_proxies)
        people = People(
            Callers(Unread(SocketLimit(routes)), proxies),
            Cookies(secret, services.conversations.lists.may_have_any),
            proxy_at(chosen.trusted_proxies, chosen.identity_header, chosen.token_header),
            services.tokens,
            framed=bool(chosen.frame_ancestors),
            without_cookies=addresses.SNAPSHOTS,
            operator_token=chosen.feedback_token.get_secret_value() if chosen.feedback_token else "",
        )
        headers = SecurityHeaders(
            OwnOriginOnly(people, chosen.origins, loopback_only=services.is_local),
            pages=self._pages,
            resources=("/api/", f"{addresses.DEMO}/", f"{LOGOS}/"),
            assets=addresses.ASSETS,
            frame_ancestors=chosen.frame_ancestors,
        )
        return Languages(RequestLog(headers, proxies), services.languages, chosen.language)

    def _routes(self, secret: str) -> list[BaseRoute]:
        services, chosen, readers = self._services, self._settings, self._services.link_readers
        conversations, look = services.conversations, self._look()
        exports = ExportRoutes(
            conversations.lists,
            services.processes,
            services.uploads,
            chosen.answer_bytes,
            CitedDocuments(services.client_for, services.remembered_backend),
            show_thoughts=chosen.show_thoughts,
            look=look,
        )
        links = LinkRoutes(
            conversations,
            services.processes,
            secret,
            exports,
            pages=addresses.SNAPSHOTS,
            readers=readers,
            most_days=link_days(chosen),
            keep_days=chosen.retention_days or None,
            look=look,
        )
        snapshots = None if readers == "off" else conversations.snapshots
        shared_pages = SharedPages(snapshots, signed_in=readers == "signed-in")
        answers = [*self._answers.routes(), *self._documents.routes(), *self._images.routes()]
        answers += self._feedback.of_answers() if chosen.feedback else []
        lists = ListRoutes(conversations.lists, snapshots)
        return [
            *HealthRoutes(conversations).routes(),
            *EmbeddingRoutes(services.branding).routes(),
            Mount(addresses.ANSWERS, routes=answers),
            Mount(addresses.ATTACHMENTS, routes=AttachmentRoutes(services.attachments).routes()),
            Mount(addresses.CONVERSATIONS, routes=[*exports.routes(), *lists.routes()]),
            Mount(addresses.SHARED, routes=links.routes() if snapshots is not None else []),
            Route(addresses.SNAPSHOTS, shared_pages.page),
            Mount(addresses.SNAPSHOTS, routes=shared_pages.routes()),
            Mount(addresses.LANGUAGES, routes=self.words.routes()),
            Mount(addresses.FEEDBACK, routes=self._feedback.files()),
            Mount(addresses.SCRIPTS, routes=ScriptRoutes(services.script, services.uploads).routes()),
            *NotesRoutes(services.branding, addresses.NOTES).routes(),
            Mount(addresses.DEMO, app=demo_app()),
            *BrandingRoutes(services.branding, services.brandings.values()).routes(),
            SERVICE_WORKER,
        ]

    def _look(self) -> Look:
        """The look of exported pages. The typeface comes with the build of the page."""
        faces = sorted((self._pages / "assets").glob("geist-latin-wght-normal-*.woff2"))
        accent = style_of_accent_by_scheme(self._services.branding.accent)
        return Look(faces[0].read_bytes() if faces else b"", accent)

    def _listed_messages(self) -> Sequence[str]:
        listed = self._pages / MESSAGES
        return json.loads(listed.read_text("utf-8")) if listed.is_file() else ()
