"""Lets the page talk to the server that it came from, under any name and port."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_ADDRESS: Final = re.compile(r"""[`"'](http|ws)s?://[^/`"']+(/[^`"']*)[`"']""")
_OWN: Final = {"http": 'location.origin+"{}"', "ws": 'location.origin.replace("http","ws")+"{}"'}


def own_address(pages: Callable[[], Path]) -> Route:
    """The route of the file in which the build, which is in the folder `pages`, wrote the addresses of the server.

    The build knows the one port on which it is to be served. Behind a proxy, in a container or beside another process
    the page has another address, and so has its server: the addresses become those of the page's own origin.
    """

    async def served(request: Request) -> Response:
        found = pages() / "assets" / f"reflex-env-{request.path_params['hash']}.js"
        if not re.fullmatch(r"[\w-]+", request.path_params["hash"]) or not found.is_file():
            return PlainTextResponse("Not found", status_code=404)
        return Response(with_own_address(found.read_text()), media_type="text/javascript")

    return Route("/assets/reflex-env-{hash}.js", served)


def with_own_address(script: str) -> str:
    """The script with each absolute address replaced by the same path on the page's own origin."""
    return _ADDRESS.sub(lambda found: _OWN[found[1]].format(found[2]), script)
