"""Logos of the page and its backends, the icon, and the web app manifest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from chat_ui.features.branding.branding import GROUNDS, Branding
from chat_ui.features.branding.logos import Image
from chat_ui.languages.translation import current_language, gettext
from chat_ui.server.addresses import LOGOS
from chat_ui.server.brand import DESCRIPTION
from chat_ui.server.public.precompressed import FOR_GOOD

_WELL_KNOWN: Final = ("/favicon.ico", "/favicon.svg")
"""Default addresses of icons, and the address in the built page."""


class BrandingRoutes:
    """Serves the files of brandings. A name has a hash of the content, so browsers cache it."""

    def __init__(self, branding: Branding, others: Iterable[Branding] = ()) -> None:
        brandings = [branding, *others]
        logos = [one.logo for one in brandings if one.logo is not None]
        drawn = branding.app_icons()
        icons = (*(one.icon for one in brandings), *drawn.values())
        self._images = {image.name: image for image in (*logos, *icons)}
        self._icon = branding.icon
        self._manifest = {
            "id": "/",
            "name": branding.title,
            "short_name": branding.title,
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "theme_color": GROUNDS["light"],
            "background_color": GROUNDS["light"],
            "icons": [
                _icon(branding.icon, "any", "any"),
                *(_icon(image, f"{size}x{size}", purpose) for (purpose, size), image in drawn.items()),
            ],
        }

    def routes(self) -> list[BaseRoute]:
        """Routes under `LOGOS` and at the default addresses of icons."""
        named = [Route("/manifest.webmanifest", self._of_installation), Route("/{name}", self._image)]
        return [Mount(LOGOS, routes=named), *(Route(path, self._of_the_site) for path in _WELL_KNOWN)]

    async def _image(self, request: Request) -> Response:
        image = self._images.get(request.path_params["name"])
        if image is None:
            return PlainTextResponse(gettext("Not found"), status_code=404, headers={"Cache-Control": "no-store"})
        return Response(image.content, media_type=image.media_type, headers={"Cache-Control": FOR_GOOD})

    async def _of_the_site(self, _request: Request) -> Response:
        return Response(self._icon.content, media_type=self._icon.media_type, headers={"Cache-Control": "no-cache"})

    async def _of_installation(self, _request: Request) -> Response:
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"}
        language = current_language()
        spoken = {
            "description": gettext(DESCRIPTION),
            "lang": language.tag,
            "dir": language.direction,
            "shortcuts": [{"name": gettext("New chat"), "url": "/"}],
        }
        return JSONResponse(self._manifest | spoken, media_type="application/manifest+json", headers=headers)


def _icon(image: Image, sizes: str, purpose: str) -> dict[str, str]:
    return {"src": f"{LOGOS}/{image.name}", "type": image.media_type, "sizes": sizes, "purpose": purpose}
