"""The settings, files, conversations and voice of the deployment that a backend belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.addresses import DEPLOYMENT
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.protocol.detection.advice import Adviser
    from chat_ui.server.services import Services


def _adviser() -> Adviser:
    from chat_ui.features.deployment.told import Told

    return Told()


def _serve(services: Services) -> Served:
    from chat_ui.features.deployment.deployment_routes import DeploymentRoutes
    from chat_ui.features.deployment.session_copies import SessionCopies
    from chat_ui.features.deployment.settings import DeploymentSettings

    services.backends.advisers.append(_adviser())
    most = DeploymentSettings.of(services.settings).upload_bytes
    routes = DeploymentRoutes(services.backends, services.conversations, most)
    copies = SessionCopies(services.backends, services.conversations)
    services.conversations.repository.watches.append(copies.watch)
    return Served(routes=lambda: {DEPLOYMENT: [*routes.routes(), *copies.routes(routes.of_backend)]})


FEATURE = Feature(name="deployment", settings="DeploymentSettings", has_page=True, serve=_serve, adviser=_adviser)
