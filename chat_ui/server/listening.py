"""Bounds on connections: how long one may be silent, and how many there may be.

Granian takes 1,024 connections. Where it accepts several versions of HTTP it waits for ever for the first byte, which
shows the version, so 1,024 silent connections block it. Browsers and proxies speak HTTP/1.1 to it; with that version
alone there is a time-out for the head of a request. A proxy limits connections by address.
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
"""Milliseconds within which each head of a request on a connection has to arrive."""
CONNECTIONS: Final = 8192
"""Connections of one process at once."""
END_SECONDS: Final = 20
"""Seconds to live for a process that was asked to end, after the grace of its answers. Now and then a thread of granian
holds Python's lock for ever as connections close; everything is written by then.
"""


class BoundedServer(granian.server.Server):  # type: ignore[misc, valid-type]  # its class is chosen as Granian is imported
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
    """Have `reflex run` start a `BoundedServer`; it passes no bounds on connections.

    `granian` itself takes `--http 1 --http1-header-read-timeout 10000 --backlog 8192 --backpressure 8192
    --workers-kill-timeout 30`.
    """
    granian.server.Server = BoundedServer
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * CONNECTIONS)), hard))
