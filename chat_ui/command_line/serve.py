"""`chat-ui serve`: checks the configuration, then serves the page until it is stopped.

Each problem is reported in a line before anything is written or started.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import multiprocessing
import os
import socket
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from granian.constants import Interfaces

from chat_ui.assembly import build_with
from chat_ui.command_line.ports import expect_free
from chat_ui.errors import CannotServeError
from chat_ui.feature import Feature, settings_of
from chat_ui.server.addresses import is_loopback, own_host
from chat_ui.server.lifetime import lock_database
from chat_ui.server.listening import BoundedServer, end_by_signal, signals_held
from chat_ui.server.logs import configure_logs
from chat_ui.server.reflex_environment import serve_built
from chat_ui.settings import (
    CONFIG_VARIABLE,
    WARNED,
    Settings,
    absolute_paths,
    read_settings,
    sqlite_file,
    unused_settings,
)

UNUSABLE: Final = 2
_LOOK_SECONDS: Final = 0.03


def serve(options: argparse.Namespace, features: Sequence[Feature]) -> int:
    """Serve the page until it is stopped, and return the exit status: 2 if it cannot be served."""
    try:
        chosen = _chosen(options, settings_of(features))
        options.host = _address_of(options.host)
        # Workers are forked from here and share these imports.
        title = build_with(features, chosen, options.host, options.port).brand.title
        for feature in features:
            if feature.check_serving:
                feature.check_serving(chosen, options.workers)
        expect_free(options.host, options.port)
        _expect_usable(chosen)
        serve_built(options.host, options.port)
    except (CannotServeError, ValueError) as problem:
        sys.stderr.write(f"{problem}\n")
        return UNUSABLE
    configure_logs(chosen.log_level, as_json=chosen.log_json)
    # Without a thread, which might hold a lock when the workers are forked.
    with signals_held():
        multiprocessing.Process(target=_welcome, args=(options, chosen, title), daemon=True).start()
    BoundedServer(
        "chat_ui.chat_ui:app",
        address=options.host,
        port=options.port,
        interface=Interfaces.ASGI,
        factory=True,
        workers=options.workers,
        log_enabled=False,
    ).serve()
    return 0


def _chosen(options: argparse.Namespace, kind: type[Settings]) -> Settings:
    """The settings; options override the environment, from which the worker reads them too."""
    if options.config is not None:
        try:
            os.environ[CONFIG_VARIABLE] = str(options.config.absolute())
        except FileNotFoundError:
            raise CannotServeError("The current folder no longer exists. Change to another one.") from None
    if options.backend is not None:
        os.environ["CHAT_UI_BACKEND_URL"] = options.backend
    for name, value in vars(options).items():
        if name in kind.model_fields and isinstance(value, Path):
            os.environ[f"CHAT_UI_{name.upper()}"] = str(value)
    chosen = read_settings(kind)
    # The working directory changes before the workers read the environment.
    os.environ |= absolute_paths(chosen)
    for words in unused_settings(kind):
        sys.stderr.write(f"{words}\n")
    os.environ[WARNED] = "1"
    if options.backend is not None and chosen.backends is not None:
        raise CannotServeError("--backend and CHAT_UI_BACKENDS cannot be combined. Remove one.")
    if options.workers > 1 and (chosen.redis_url is None or chosen.database_url is None):
        raise CannotServeError(
            "Several workers need Redis and PostgreSQL. Set CHAT_UI_REDIS_URL and CHAT_UI_DATABASE_URL, or remove "
            "--workers."
        )
    return chosen


def _address_of(host: str) -> str:
    """The address of a name of this machine, which the server does not look up.

    Raises:
        CannotServeError: the name does not resolve.
    """
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except (socket.gaierror, UnicodeError):
        raise CannotServeError(
            f"{host} is not an address of this machine. Use one that is, such as --host 127.0.0.1."
        ) from None


def _expect_usable(chosen: Settings) -> None:
    """Check that the folder of the SQLite database is writable and another server does not use it.

    Raises:
        CannotServeError, DatabaseInUseError: the check failed.
    """
    database = sqlite_file(chosen)
    if database is None:
        return
    try:
        database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = "" if os.access(database.parent, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        raise CannotServeError(
            f"Conversations cannot be stored in {database.parent}: {problem}. Set CHAT_UI_DATA_DIR to another folder, "
            "or CHAT_UI_RETENTION_DAYS=0 to store nothing."
        )
    if chosen.redis_url is None:
        asyncio.run(_expect_alone(database))


async def _expect_alone(database: Path) -> None:
    lock = await lock_database(database)
    await lock.release()


def _welcome(options: argparse.Namespace, chosen: Settings, title: str) -> None:
    end_by_signal()
    own, server = f"http://{own_host(options.host)}:{options.port}", multiprocessing.parent_process()
    while not _is_ready(own):
        if server is not None and not server.is_alive():
            return
        time.sleep(_LOOK_SECONDS)
    address = f"http://localhost:{options.port}" if is_loopback(own_host(options.host)) else own
    # The reader, such as a service manager, may have closed its pipe.
    with suppress(OSError):
        print(f"{title} is running at {address}\n{_backend_in_words(chosen)} {_place_in_words(chosen)}")
        print("Press Ctrl+C to stop.", flush=True)
    if options.open:
        webbrowser.open(address)


def _backend_in_words(chosen: Settings) -> str:
    recorded = f"Backend: the recording {chosen.replay}." if chosen.replay is not None else ""
    if chosen.replay is not None and chosen.backends is None and not chosen.backend_url:
        return recorded
    if chosen.backends is not None:
        return f"Backends: {chosen.backends}."
    host = urlsplit(chosen.backend_url).netloc if chosen.backend_url else ""
    return f"Backend: {host}." if host else "Backend: demo."


def _place_in_words(chosen: Settings) -> str:
    if chosen.retention_days == 0:
        return "Conversations are stored until it stops."
    database = sqlite_file(chosen)
    return f"Conversations are stored in {database.parent if database else 'a database'}."


def _is_ready(own: str) -> bool:
    # A proxy of the environment does not reach this process.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{own}/ready", timeout=1):
            return True
    except urllib.error.HTTPError:
        # The server responds, and its page reports the missing parts.
        return True
    except OSError:
        return False
