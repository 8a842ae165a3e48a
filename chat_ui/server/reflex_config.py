"""How Reflex builds and serves the page."""

from __future__ import annotations

from chat_ui.server import reflex_environment

reflex_environment.prepare()

import reflex as rx  # noqa: E402 - it reads its environment when it is imported
from reflex.config import get_config  # noqa: E402
from reflex_base.registry import RegistrationContext  # noqa: E402

from chat_ui.settings import settings  # noqa: E402


def config() -> rx.Config:
    """The configuration of Reflex, whatever folder the app is started in."""
    redis_url = settings().redis_url
    return rx.Config(
        app_name="chat_ui",
        backend_host="127.0.0.1",
        redis_url=redis_url.get_secret_value() if redis_url else None,
        # Whatever has to outlast the process is in the store; a page that comes back finds itself by what it remembers.
        state_manager_mode="redis" if redis_url else "memory",
        # Seconds for which the state of a page that was closed is kept, wherever it is.
        redis_token_expiration=600,
        # Nobody's origin but our own: `chat_ui.server.middleware.identity` decides, by the address that was asked.
        cors_allowed_origins=[],
        telemetry_enabled=False,
        show_built_with_reflex=False,
        frontend_compression_formats=["brotli", "gzip"],
        plugins=[
            rx.plugins.RadixThemesPlugin(
                theme=rx.theme(accent_color=settings().accent, gray_color="slate", radius="large", has_background=True)
            )
        ],
        disable_plugins=[rx.plugins.SitemapPlugin],
    )


def current_config() -> rx.Config:
    """The configuration that Reflex goes by: that of `rxconfig.py`, and where the page is built already that of this
    module, since Reflex would look for `rxconfig.py` in the working directory.
    """
    if reflex_environment.serves_built():
        RegistrationContext.ensure_context()._set_config(config())
    return get_config()
