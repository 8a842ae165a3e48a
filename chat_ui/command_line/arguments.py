from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from getpass import getpass
from pathlib import Path
from typing import Final, TypeVar, get_args

from chat_ui import __version__
from chat_ui.command_line.ports import HIGHEST_PORT
from chat_ui.command_line.terminal import note
from chat_ui.feature import Feature, settings_of
from chat_ui.protocol.backends.backend import Backend, KeyHeader, is_header_name
from chat_ui.protocol.backends.curl import KEY_VARIABLE
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.detection.advice import advice_of
from chat_ui.protocol.dialects.registry import DIALECTS, described
from chat_ui.protocol.events import ErrorInfo, JsonObject
from chat_ui.protocol.transport.certificates import parse_fingerprint, with_colons
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Policy

T = TypeVar("T")

_MOST_WORKERS: Final = 64


def checked(parse: Callable[[str], T]) -> Callable[[str], T]:
    """`parse`, whose error text argparse shows."""

    def checked(text: str) -> T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


def number(most: int) -> Callable[[str], int]:
    """A whole number from 1 to `most`."""

    def read(text: str) -> int:
        if not text.isdecimal() or len(text) > len(str(most)) or not 0 < int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be a number from 1 to {most}")
        return int(text)

    return read


backend_url: Final = checked(parse_backend_url)
_fingerprint: Final = checked(parse_fingerprint)
port: Final = number(HIGHEST_PORT)
_workers: Final = number(_MOST_WORKERS)


def parser(features: Sequence[Feature]) -> argparse.ArgumentParser:
    """The parser of all commands, with those of `features`; `run` of its result runs the chosen one."""
    top = argparse.ArgumentParser(
        prog="chat-ui",
        description="A chat page and client for AI chat backends. Without a command, serve the page.",
    )
    top.add_argument("--version", action="version", version=f"chat-ui {__version__}")
    commands = top.add_subparsers(metavar="COMMAND", dest="command")
    top.set_defaults(
        settings=lambda: settings_of(features), advisers=lambda: [one.adviser() for one in features if one.adviser]
    )
    serve = commands.add_parser("serve", help="serve the page (default)")
    _add_serve(serve)
    ask = commands.add_parser("ask", help="ask a backend one question and print the answer as it streams")
    add_url(ask)
    add_backend(ask)
    add_reading(ask)
    add_asking(ask)
    ask.add_argument("question", type=question, help="question to ask")
    ask.add_argument("--record", type=Path, metavar="FILE", help="record the question to a new or existing file")
    ask.add_argument("--timeout", type=seconds, metavar="S", help="timeout for the whole answer, in seconds")
    ask.add_argument("--deny-all", action="store_true", help="deny all requests of an agent without asking")
    for feature in features:
        if feature.add_serve_options:
            feature.add_serve_options(serve)
        for command in feature.commands:
            added = commands.add_parser(command.name, help=command.help)
            command.add_options(added)
            added.set_defaults(run=command.run)
    return top


def add_url(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "url", type=backend_url, metavar="URL", help="URL of the backend, such as http://localhost:8000/chat"
    )


def add_reading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--no-stream", action="store_true", help="request the whole answer at once")
    command.add_argument(
        "--dialect",
        default="auto",
        choices=["auto", *DIALECTS],
        help="answer format (default: detected)",
    )


def add_asking(command: argparse.ArgumentParser) -> None:
    command.add_argument("--plain", action="store_true", help="send no options that the deployment tells")
    command.add_argument(
        "--approve",
        action="append",
        default=[],
        metavar="NAME",
        help="approve calls of this tool and deny all other requests of an agent; repeatable",
    )


def _add_serve(command: argparse.ArgumentParser) -> None:
    command.add_argument("--port", type=port, default=3000, metavar="N", help="port to listen on (default: 3000)")
    command.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, only this machine)"
    )
    command.add_argument(
        "--backend",
        type=backend_url,
        metavar="URL",
        help="URL of the backend, such as http://localhost:8000/chat (default: the demo backend)",
    )
    command.add_argument("--open", action="store_true", help="open the page in the browser")
    command.add_argument(
        "--config", type=Path, metavar="FILE", help="TOML file of settings; environment variables take precedence"
    )
    command.add_argument(
        "--replay", type=Path, metavar="FILE", help="offer a recording as a backend; the only one without --backend"
    )
    command.add_argument(
        "--fallback",
        type=Path,
        metavar="FILE",
        help="answer from a recording if the backend fails or is silent for 5 seconds",
    )
    command.add_argument(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="number of processes (default: 1); more need Redis and PostgreSQL",
    )


def add_backend(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object at the end")
    command.add_argument(
        "--header",
        action="append",
        default=[],
        type=_header,
        metavar='"K: V"',
        help="header to send; repeatable; not for keys, since other users of this machine can see it",
    )
    command.add_argument(
        "--key-env",
        metavar="NAME",
        help=f"environment variable with the key (default: {KEY_VARIABLE})",
    )
    command.add_argument("--ask-key", action="store_true", help="prompt for the key")
    command.add_argument(
        "--key-header",
        choices=get_args(KeyHeader),
        help="header for the key: Authorization (bearer token) or api-key (default: by URL)",
    )
    command.add_argument("--model", metavar="NAME", help="model name to send")
    command.add_argument(
        "--overrides",
        type=_overrides,
        default={},
        metavar="JSON",
        help="backend options, a JSON object, or @FILE; use a file for options with a key",
    )
    add_certificate_and_policy(command)


def add_certificate_and_policy(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--certificate",
        type=_fingerprint,
        metavar="SHA256",
        help="trust only the certificate with this fingerprint",
    )
    command.add_argument(
        "--policy",
        default="local",
        choices=get_args(Policy),
        help="addresses that may be called: public internet only, or also this machine and private networks (default)",
    )


def key_of(options: argparse.Namespace) -> str | None:
    """The key from the prompt or the environment, or None.

    Raises:
        ValueError: a requested key is missing or cannot be sent; the text never includes it.
    """
    if options.ask_key:
        key = getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()
        where = "at the prompt"
    else:
        key = os.environ.get(options.key_env or KEY_VARIABLE, "")
        where = f"in the environment variable {options.key_env}"
    key = key.strip()
    if not key and (options.ask_key or options.key_env):
        raise ValueError(f"The key is missing {where}.")
    if not key.isascii() or (key and not key.isprintable()):
        raise ValueError("The key has characters that are not printable ASCII. Copy it again.")
    return key or None


def backend_of(options: argparse.Namespace, key: str | None) -> Backend:
    """The backend that the URL suggests, with the given headers and `key` in the backend's own header."""
    return _with_headers(described(options.url), options, key)


def _with_headers(described_backend: Backend, options: argparse.Namespace, key: str | None) -> Backend:
    backend = replace(described_backend, headers=dict(options.header))
    if options.key_header:
        backend = replace(backend, key_header=options.key_header)
    return backend if key is None else backend.with_api_key(key)


def asked_backend(options: argparse.Namespace, key: str | None) -> Backend:
    """The backend at exactly the URL, and in the mode, of the options."""
    return replace(
        _with_headers(described(options.url, options.dialect), options, key),
        url=options.url,
        stream=not options.no_stream,
        dialect=options.dialect,
        model=options.model,
    )


async def advised(
    client: AsyncClient, options: argparse.Namespace, backend: Backend
) -> tuple[Backend, JsonObject, tuple[str, ...]]:
    """`backend` as its deployment can be asked, the options to send, and the names of those that only it told."""
    advice = await advice_of(() if options.plain else options.advisers(), client, "", backend)
    note(str(advice.remark or ""))
    told = [key for key in advice.options if key not in options.overrides]
    if told:
        note(f"Options from the deployment: {', '.join(told)}.")
    sent = {**advice.options, **options.overrides}
    return advice.applied(backend, sent), sent, tuple(told)


def pinning(client: AsyncClient, options: argparse.Namespace) -> AsyncClient:
    """`client`, trusting only the certificate of `--certificate` if given."""
    return client.pinning(options.url, options.certificate) if options.certificate else client


def pinning_hint(error: ErrorInfo) -> str:
    """A hint on `--certificate` if `error` is about an untrusted certificate, else empty."""
    if error.fingerprint is None:
        return ""
    return f"If you trust it, add --certificate {with_colons(error.fingerprint)}"


def question(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("The question is empty.")
    return text


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not is_header_name(name):
        raise argparse.ArgumentTypeError('A header must be "Name: value".')
    if not value.isascii() or not value.isprintable():
        raise argparse.ArgumentTypeError(f"The value of the header {name} has characters that are not printable ASCII.")
    return name, value


def _overrides(text: str) -> JsonObject:
    try:
        value = json.loads(Path(text[1:]).read_bytes() if text.startswith("@") else text)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"The file {text[1:]} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"Not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError('Overrides must be a JSON object, such as {"temperature": 0.3}.')
    return value


def seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError("must be a number of seconds, such as 30") from error
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("must be greater than 0")
    return seconds
