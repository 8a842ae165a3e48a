"""Silent and slow connections, and their cost to others."""

import resource
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import granian.server
import httpx2
import pytest
from granian.constants import HTTPModes

import rxconfig
from chat_ui.server.listening import CONNECTIONS, END_SECONDS, HEAD_MILLISECONDS
from tests.timeouts import TIMEOUT

SILENT = 1_500
"""More connections than granian's default limit."""


def connected(url: str, said: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", urlsplit(url).port or 80), timeout=TIMEOUT)
    connection.sendall(said)
    return connection


@pytest.mark.thorough
def test_a_connection_without_a_whole_head_is_closed(app_url: str):
    beginnings = (b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
    with ExitStack() as opened:
        for connection in [opened.enter_context(connected(app_url, said)) for said in beginnings]:
            assert connection.recv(1) == b""


@pytest.mark.thorough
def test_many_silent_connections_block_nobody(app_url: str):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * SILENT)), hard))
    with ExitStack() as opened:
        for _ in range(SILENT):
            opened.enter_context(connected(app_url))
        with httpx2.Client(base_url=app_url, timeout=TIMEOUT) as client:
            assert client.get("/health").status_code == 200


def test_the_server_of_reflex_has_the_same_limits():
    assert rxconfig.config.app_name == "chat_ui"
    server = granian.server.Server("chat_ui.chat_ui:app")
    assert server.http == HTTPModes.http1
    assert server.http1_settings.header_read_timeout == HEAD_MILLISECONDS
    assert server.backpressure == server.backlog == CONNECTIONS
    assert server.workers_kill_timeout > END_SECONDS
