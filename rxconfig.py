"""How Reflex builds and serves the page."""

from chat_ui.server.listening import bound_connections
from chat_ui.server.reflex_config import config as _config

bound_connections()

config = _config()
