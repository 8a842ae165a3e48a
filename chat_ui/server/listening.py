"""How long a connection may be silent, and how many there may be.

Granian waits for ever for the first byte where it is to find out by it which version of HTTP is spoken, and takes 1,024
connections: so many that say nothing make it deaf. Browsers and proxies speak HTTP/1.1 to it; where only that is
spoken, the head of a request has a time in which it must be there. A proxy limits connections by address.
"""

from __future__ import annotations

import resource
from math import ceil
from typing import Any, Final

import granian.server
from granian.constants import HTTPModes
from granian.http import HTTP1Settings

from chat_ui.settings import settings

HEAD_MILLISECONDS: Final = 10_000
"""Within which a connection has to send a head, its first one and each further one."""
CONNECTIONS: Final = 8192
"""At once, in one process."""
END_SECONDS: Final = 20
"""Within which a process ends that was asked to, after the time that its answers get. Now and then a thread of granian
keeps Python's lock for ever as connections close; what was to be kept is kept by then.
"""


class PatientServer(granian.server.Server):  # type: ignore[misc, valid-type]  # its class is chosen as Granian is imported
    """Granian with these bounds, unless the operator set others."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        bounds = {
            "http": HTTPModes.http1,
            "http1_settings": HTTP1Settings(header_read_timeout=HEAD_MILLISECONDS),
            "backlog": CONNECTIONS,
            "backpressure": CONNECTIONS,
            "workers_kill_timeout": END_SECONDS + ceil(settings().grace_seconds),
        }
        super().__init__(*arguments, **{**bounds, **named})


def bound_connections() -> None:
    """Have the server that `reflex run` starts be bound; it makes one without a word about connections.

    `granian` itself takes `--http 1 --http1-header-read-timeout 10000 --backlog 8192 --backpressure 8192
    --workers-kill-timeout 30`.
    """
    granian.server.Server = PatientServer
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * CONNECTIONS)), hard))
