"""The port of a server."""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

import psutil

from chat_ui.errors import PortNotFreeError

HIGHEST_PORT: Final = 65_535
_PORTS_TRIED: Final = 100


def expect_free(host: str, port: int) -> None:
    """Check that this process can listen on the port.

    Raises:
        PortNotFreeError: it cannot; the text names the process that uses the port, if known.
    """
    problem = _problem_of(host, port)
    if problem is None:
        return
    if problem.errno == errno.EADDRINUSE:
        later = range(port + 1, min(port + _PORTS_TRIED, HIGHEST_PORT + 1))
        free = next((other for other in later if _problem_of(host, other) is None), None)
        offer = f" Try --port {free}." if free else ""
        raise PortNotFreeError(f"Port {port} is in use{_user_of(port)}.{offer}")
    raise PortNotFreeError(f"Cannot listen on {host}, port {port}: {os.strerror(problem.errno or 0)}.")


def _problem_of(host: str, port: int) -> OSError | None:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as problem:
            return problem
    return None


def _user_of(port: int) -> str:
    """The process that listens on this port, in words; empty if the system does not tell."""
    try:
        listening = {
            one.pid
            for one in psutil.net_connections("tcp")
            if one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port
        }
        names = sorted(f"{psutil.Process(pid).name()}, process {pid}" for pid in listening if pid)
    except psutil.Error:
        return ""
    return f" by {names[0]}" if names else ""
