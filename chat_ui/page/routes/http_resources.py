"""The server's HTTP resources, and the middleware around them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp

from chat_ui.languages.translation import current_language
from chat_ui.page.routes.answers import AnswerRoutes
from chat_ui.page.routes.conversation_list import ListRoutes
from chat_ui.page.routes.documents import DocumentRoutes
from chat_ui.page.routes.images import AttachmentRoutes, ImageRoutes
from chat_ui.page.state.first_paint import first_paint
from chat_ui.rendering.ai_notice import notice_of
from chat_ui.server import addresses
from chat_ui.server.built_page import MESSAGES
from chat_ui.server.document import painted
from chat_ui.server.middleware.callers import Callers
from chat_ui.server.middleware.identity import Cookies, OwnOriginOnly, People, networks_of, proxy_at
from chat_ui.server.middleware.painted_pages import PaintedPages
from chat_ui.server.middleware.request_language import Languages
from chat_ui.server.middleware.request_log import RequestLog, failed
from chat_ui.server.middleware.security_headers import SecurityHeaders
from chat_ui.server.middleware.unread import SocketLimit, Unread
from chat_ui.server.public.health import HealthRoutes
from chat_ui.server.public.scripts import SERVICE_WORKER, PageWords
from chat_ui.server.services import Services, cookie_secret


class HttpResources:
    """The resources of a server with these `services`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._settings = services.settings
        self.words = PageWords(services.languages, addresses.LANGUAGES, self._listed_messages)

    def around(self, page: ASGIApp) -> ASGIApp:
        """The whole app, with `page` as the fallback."""
        chosen, services = self._settings, self._services
        secret = cookie_secret(chosen)
        ancestors = [source for served in services.served for source in served.frame_ancestors]
        tokens = (one.operator_token.get_secret_value() for one in services.served if one.operator_token)
        failing = {Exception: failed}
        pages = Starlette(routes=[Mount("/", app=page)], exception_handlers=failing)
        routes = Starlette(routes=[*self._routes(), Mount("/", app=pages)], exception_handlers=failing)
        proxies = networks_of(chosen.trusted_proxies)
        people = People(
            Callers(Unread(SocketLimit(routes)), proxies),
            Cookies(secret, services.conversations.lists.may_have_any),
            proxy_at(chosen.trusted_proxies, chosen.identity_header, chosen.token_header),
            services.backends.tokens,
            framed=bool(ancestors),
            without_cookies=addresses.SNAPSHOTS,
            operator_token=next(iter(tokens), ""),
            sign_ins=next((one.sign_ins for one in services.served if one.sign_ins), None),
        )
        headers = SecurityHeaders(
            OwnOriginOnly(people, chosen.origins, loopback_only=services.is_local),
            pages=services.pages,
            resources=("/api/", f"{addresses.DEMO}/", f"{addresses.LOGOS}/"),
            assets=addresses.ASSETS,
            frame_ancestors=ancestors,
        )
        return Languages(RequestLog(headers, proxies), services.languages, chosen.language)

    def around_pages(self, page: ASGIApp) -> ASGIApp:
        """The app `page`, with the operator's values in the documents."""
        return self.around(PaintedPages(page, self._painted))

    def _painted(self, document: str) -> str:
        language = current_language()
        return painted(document, first_paint(self._services), language, self.words.element(language))

    def _routes(self) -> list[BaseRoute]:
        services, shown = self._services, self._settings.show_thoughts
        backends = services.backends.client_for, services.backends.remembered
        conversations, processes = services.conversations, services.processes
        renderings = services.renderings
        documents = DocumentRoutes(conversations, *backends, processes, services.readers)
        answers = AnswerRoutes(
            conversations,
            documents,
            renderings,
            processes,
            throttle=services.backends.client.throttle,
            following=services.following,
            show_thoughts=shown,
            notice=notice_of(self._settings.ai_notice),
        )
        images = ImageRoutes(conversations, *backends, renderings, show_thoughts=shown)
        lists = ListRoutes(conversations.lists, conversations.snapshots)
        own = {
            "": [*HealthRoutes(conversations).routes(), SERVICE_WORKER],
            addresses.ANSWERS: [*answers.routes(), *documents.routes(), *images.routes()],
            addresses.ATTACHMENTS: AttachmentRoutes(conversations.attachments).routes(),
            addresses.CONVERSATIONS: lists.routes(),
            addresses.LANGUAGES: self.words.routes(),
        }
        at: dict[str, list[BaseRoute]] = {}
        # The core's own come last, as one of them matches any name.
        for mounted in (*(served.routes() for served in services.served), own):
            for address, routes in mounted.items():
                at.setdefault(address, []).extend(routes)
        return [*at.pop(""), *(Mount(address, routes=routes) for address, routes in at.items())]

    def _listed_messages(self) -> Sequence[str]:
        listed = self._services.pages / MESSAGES
        return json.loads(listed.read_text("utf-8")) if listed.is_file() else ()
