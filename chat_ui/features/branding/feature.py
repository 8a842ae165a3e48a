from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature
from chat_ui.server.served import Served

if TYPE_CHECKING:
    from chat_ui.server.brand import Brand
    from chat_ui.server.services import Services
    from chat_ui.settings import Settings


def _brand(chosen: Settings) -> Brand:
    from chat_ui.features.branding.branding import branding_of
    from chat_ui.features.branding.settings import BrandingSettings

    return branding_of(BrandingSettings.of(chosen)).brand()


def _serve(services: Services) -> Served:
    from chat_ui.features.branding.brand_files import BrandingRoutes
    from chat_ui.features.branding.branding import branding_of
    from chat_ui.features.branding.painting import own_parts, paint
    from chat_ui.features.branding.settings import BrandingSettings

    branding = branding_of(BrandingSettings.of(services.settings))
    brandings = {
        profile.name: branding.with_own(profile.name, **profile.branding.model_dump())
        for profile in services.backends.offer.operator_profiles
        if profile.branding
    }
    return Served(
        routes=lambda: {"": BrandingRoutes(branding, brandings.values()).routes()},
        paint=lambda: paint(branding),
        own_parts=lambda profile: own_parts(brandings.get(profile.name)),
    )


FEATURE = Feature(name="branding", settings="BrandingSettings", brand=_brand, serve=_serve)
