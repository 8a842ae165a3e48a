"""Log lines and metrics of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.services import Services


def _serve(services: Services) -> Served:
    from chat_ui.features.telemetry.generations import GenerationWatch

    watch = GenerationWatch()
    services.conversations.repository.watches.append(watch)
    services.conversations.feedback.changed = watch.feedback_changed
    return Served(around=lambda: watch.collecting(services.following.total, services.admission.lateness))


FEATURE = Feature(name="telemetry", serve=_serve)
