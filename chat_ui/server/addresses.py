"""The addresses of this server's pages, resources and demo backend."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final

CONVERSATION: Final = "/c"
"""`/c/ID` is the page of one conversation."""
ASSETS: Final = "/assets/"
"""The address of built files with a hash of their content in their names."""
ANSWERS: Final = "/api/answers"
ATTACHMENTS: Final = "/api/attachments"
CONVERSATIONS: Final = "/api/conversations"
SHARED: Final = "/api/shared"
SNAPSHOTS: Final = "/s"
"""`/s/TOKEN` is the page of a snapshot, for everybody with the link."""
SIGN_IN: Final = "/api/sign-in"
DEPLOYMENT: Final = "/api/deployment"
"""The services of the deployment behind a backend."""
LANGUAGES: Final = "/api/languages"
FEEDBACK: Final = "/api/feedback"
"""People's feedback on answers, as files."""
SCRIPTS: Final = "/api/scripts"
NOTES: Final = "/present/notes"
"""The window with the presenter's notes."""
DEMO: Final = "/demo"
LOGOS: Final = "/branding"
"""The address of each logo, by its name."""


def own_host(host: str) -> str:
    """The host at which a server that listens at `host` reaches itself."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens at `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
