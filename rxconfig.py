"""How Reflex builds and serves the page."""

from chat_ui.server import reflex_environment

reflex_environment.prepare()

import reflex as rx

from chat_ui.server.built_page import BuiltPage, UsedThemes
from chat_ui.server.listening import bound_connections

bound_connections()

config = rx.Config(
    app_name="chat_ui",
    backend_host="127.0.0.1",
    # Whatever has to outlast the process is in the store; a page that comes back finds itself by what it remembers.
    state_manager_mode="memory",
    # Seconds for which the state of a page that was closed is kept.
    redis_token_expiration=600,
    # Nobody's origin but our own: `chat_ui.server.middleware.identity` decides, by the address that was asked.
    cors_allowed_origins=[],
    telemetry_enabled=False,
    show_built_with_reflex=False,
    # Reflex does not collect the packages of components in the document's head.
    frontend_packages=["@fontsource-variable/geist@5.3.0", "@fontsource-variable/geist-mono@5.3.0"],
    frontend_compression_formats=["brotli", "gzip"],
    plugins=[
        UsedThemes(theme=rx.theme(accent_color="indigo", gray_color="slate", radius="large", has_background=True)),
        BuiltPage(),
    ],
    disable_plugins=[rx.plugins.SitemapPlugin],
)
