"""What the page's states and routes share in one process: the conversations and the client that answers them."""

from __future__ import annotations

from reflex.config import get_config

from chat_ui.conversations.conversation import Conversations
from chat_ui.protocol.client import Client
from chat_ui.protocol.pace import Pace
from chat_ui.settings import settings

DEMO_PATH = "/demo"

conversations = Conversations()
client = Client(pace=Pace())


def demo_url() -> str:
    """Where the embedded demo backend answers: this server's own address."""
    config = get_config()
    host = "127.0.0.1" if config.backend_host in ("0.0.0.0", "::") else config.backend_host  # noqa: S104 - compared
    return f"http://{host}:{config.backend_port or 8000}{DEMO_PATH}/chat"


def default_backend_url() -> str:
    """The backend that answers until a person sets another."""
    return settings().backend_url or demo_url()
