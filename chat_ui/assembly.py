from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chat_ui.feature import Feature, check_of
from chat_ui.rendering import claim_check
from chat_ui.server.brand import Brand
from chat_ui.server.served import Served
from chat_ui.server.services import Services, build
from chat_ui.settings import Settings


def build_with(features: Sequence[Feature], chosen: Settings, host: str, port: int, pages: Path = Path()) -> Services:
    """The services of a server at `host` and `port` with these features; `pages` has the built page once it is served.

    Raises:
        UnusableSettingsError, ValueError: as `build`, and a feature's settings cannot be used.
    """
    brand = next((feature.brand(chosen) for feature in features if feature.brand), Brand())
    default_backend = next((feature.default_backend for feature in features if feature.default_backend), None)
    services = build(chosen, host, port, brand=brand, default_backend=default_backend, pages=pages)
    claim_check.use(check_of(features))
    served = ((feature.name, feature.serve(services) if feature.serve else Served()) for feature in features)
    serving = replace(services, served=tuple(replace(part, name=name) for name, part in served))
    for part in serving.served:
        services.readers.update(part.readers)
    return serving
