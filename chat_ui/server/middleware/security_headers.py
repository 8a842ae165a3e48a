"""Security headers of every response: what a page may load, run and use, and which pages may frame it.

Scripts need neither `unsafe-inline` nor `unsafe-eval`. The built pages have a few inline scripts whose text is fixed by
the build (the colour theme before the first paint, React Router's hydration); each is allowed by its hash. Styles need
`unsafe-inline`: emotion and Radix, below Reflex, write `style` elements and attributes as they run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Sequence
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.server.public.precompressed import FOR_GOOD

_PDF_WORKER: Final = re.compile(r"/pdf\.worker[^/]*\.mjs\Z")
_DATA: Final = frozenset({"application/json", "application/ld+json"})
_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]_-]{1,255}")
_FIXED: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_OF_DOCUMENTS: Final = {
    # A browser may resolve each host in a link before the link is followed.
    "x-dns-prefetch-control": "off",
    # The microphone is for dictation.
    "permissions-policy": (
        "camera=(), display-capture=(), geolocation=(), microphone=(self), midi=(), payment=(), usb=()"
    ),
    "cross-origin-opener-policy": "same-origin",
}
"""Headers that browsers use only for documents; the many small files of a first visit go without."""
RESOURCE_POLICY: Final = (
    "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox"
)
"""For responses other than our pages: they run without scripts and an origin, in frames of only our own page. For
foreign documents it is a last resort: browsers connect to some forbidden addresses all the same.
"""
ASSET_POLICY: Final = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For the built files of the page, many and small: the page's own policy is longer than most of them."""
PDF_WORKER_POLICY: Final = f"{ASSET_POLICY}; script-src 'self' 'wasm-unsafe-eval'"
"""For the worker of pdf.js: its decoders of JPEG 2000, JBIG2 and colour profiles are WebAssembly."""
PDF_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
"""For a PDF, which runs nothing in our origin: a browser's own viewer does not open in a sandbox."""


class SecurityHeaders:
    """ASGI middleware: gives each response the applicable headers above, unless it has brought its own.

    Resources under `resources` get `RESOURCE_POLICY`. A file under `assets` gets `ASSET_POLICY`, the worker of pdf.js
    `PDF_WORKER_POLICY`. Everything else gets the page's policy, with the hashes of the inline scripts in the HTML files
    of the folder `pages`. Browsers keep a file under `assets` for good: the build names each after a hash of its
    content.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        pages: Path,
        resources: Sequence[str],
        assets: str,
        frame_ancestors: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._pages = pages
        self._resources = tuple(resources)
        self._assets = assets
        self._frame_ancestors = " ".join(frame_ancestors) or "'none'"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        def send_with_headers(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_asset = self._is_asset(scope, headers)
                if is_asset and message["status"] in (200, 206, 304):
                    headers["cache-control"] = FOR_GOOD
                fixed = _FIXED if is_asset else _FIXED | _OF_DOCUMENTS
                for name, value in fixed.items():
                    headers.setdefault(name, value)
                headers.setdefault("content-security-policy", self._policy(scope, headers))
            return send(message)

        await self._app(scope, receive, send_with_headers)

    def _policy(self, scope: Scope, response: Headers) -> str:
        path, kind = str(scope["path"]), response.get("content-type", "")
        if path.startswith(self._resources):
            return PDF_POLICY if kind.startswith("application/pdf") else RESOURCE_POLICY
        if self._is_asset(scope, response):
            return PDF_WORKER_POLICY if _PDF_WORKER.search(path) else ASSET_POLICY
        host = Headers(scope=scope).get("host", "")
        # Not every browser takes 'self' to cover the socket.
        sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
        return (
            f"default-src 'none'; script-src 'self'{self._script_hashes}; style-src 'self' 'unsafe-inline'; "
            f"img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'{sockets}; media-src 'self'; "
            "worker-src 'self' blob:; manifest-src 'self'; object-src 'none'; base-uri 'none'; "
            f"form-action 'self'; frame-ancestors {self._frame_ancestors}"
        )

    def _is_asset(self, scope: Scope, response: Headers) -> bool:
        # A missing file is answered with a page.
        is_page = response.get("content-type", "").startswith("text/html")
        return str(scope["path"]).startswith(self._assets) and not is_page

    @cached_property
    def _script_hashes(self) -> str:
        hashes = {
            script_hash(script)
            for page in sorted(self._pages.rglob("*.html"))
            for script in inline_scripts(page.read_text("utf-8"))
        }
        return "".join(f" '{digest}'" for digest in sorted(hashes))


def script_hash(script: str) -> str:
    """The text of an inline script as a source of a content security policy, `sha256-…`."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def inline_scripts(html: str) -> list[str]:
    """The text of each inline script of a page; data in a `script` element runs nothing."""
    parser = _Scripts()
    parser.feed(html)
    parser.close()
    return parser.found


class _Scripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[str] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self._open = tag == "script" and "src" not in named and named.get("type") not in _DATA
        if self._open:
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.found[-1] += data
