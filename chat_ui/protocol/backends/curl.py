"""A question as a command of curl, for a POSIX shell."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from chat_ui.protocol.answers.redaction import object_without_secrets, url_without_secrets
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message, address_of, attempts
from chat_ui.protocol.backends.request import JSON_FILE, check, is_form, request_body, secrets_of, sent_messages
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg

KEY_VARIABLE: Final = "CHAT_UI_KEY"
"""The shell variable and environment variable of a key."""
_ARGUMENT: Final = 120_000
"""Bytes of messages in a command, and of a session state: Linux takes 128 KiB in one argument."""
_NEEDS_NO_QUOTING: Final = re.compile(r"[A-Za-z0-9_: -]+")


def curl_command(backend: Backend, request: ChatRequest) -> str:
    """The first request of an answer to `request`, for a POSIX shell.

    Every word is one argument. Values of headers may be credentials: each is a shell variable, `$CHAT_UI_KEY` for the
    key itself. An ellipsis replaces credentials in the address or the body. Files are named, not written out. Longer
    parts than an argument are shortened, and a comment says so.

    Raises:
        InvalidRequestError: the request cannot be sent to the backend.
    """
    check(backend, request)
    complete = replace(request, messages=sent_messages(backend, request))
    request = _that_fits(backend, complete)
    way = attempts(backend)[0]
    # Without `-g`, curl expands brackets and braces in an address to several addresses.
    words = ["curl", "-gN", shlex.quote(url_without_secrets(address_of(backend, request, way)))]
    words += ["-H " + shlex.quote(f"{name}: {value}") for name, value in backend.format_headers.items()]
    words += [_header(backend, name, value) for name, value in backend.headers.items()]
    body_as_sent = request_body(backend, request, stream_flag=way.stream_flag)
    shown = object_without_secrets(body_as_sent, secrets_of(backend, request.overrides).in_request)
    body = json.dumps(shown)
    if is_form(backend, request):
        named = f";filename={JSON_FILE}" if backend.files == "multipart-file" else ""
        words.append("-F " + shlex.quote(f"json={_quoted(body)};type=application/json{named}"))
        words += [
            "-F " + shlex.quote(f"messages[{i}].files[{j}]=@{_file_name(file)};type={file.media_type}")
            for i, message in enumerate(sent_messages(backend, request))
            for j, file in enumerate(message.files)
        ]
    else:
        words.append("-H 'Content-Type: application/json'")
        words.append("-d " + shlex.quote(body))
    command = " \\\n  ".join([" ".join(words[:3]), *words[3:]])
    if request == complete:
        return command
    # Translators: a comment in a shell script, above the command.
    return msg("# Shortened: the whole request is too long for a command.\n{command}", command=command)


def _that_fits(backend: Backend, request: ChatRequest) -> ChatRequest:
    """The request, if too long with only its newest messages and without its session state."""
    left = _ARGUMENT
    kept: list[Message] = []
    for message in reversed(request.messages):
        left -= sum(4 * len(file.data) // 3 for file in message.files if not backend.takes_forms)
        left -= len(message.content) if len(message.content) > left else len(json.dumps(message.content))
        if left < 0:
            break
        kept.insert(0, message)
    question = request.messages[-1]
    state = request.session_state
    return replace(
        request,
        messages=tuple(kept) or (replace(question, content=question.content[: _ARGUMENT // 6], files=()),),
        session_state=state if state and size_of((state.value,), _ARGUMENT) <= _ARGUMENT else None,
    )


def _header(backend: Backend, name: str, value: str) -> str:
    """The option for a header; its value is a shell variable with an unused name."""
    is_key = name.lower() == backend.key_header.lower()
    beginning = f"{name}: Bearer " if is_key and value.startswith("Bearer ") else f"{name}: "
    known_as = re.sub(r"[^A-Z0-9]+", "_", name.upper())
    variable = KEY_VARIABLE if is_key else known_as if known_as.startswith("X_") else f"X_{known_as}"
    if _NEEDS_NO_QUOTING.fullmatch(beginning):
        return f'-H "{beginning}${variable}"'
    return f'-H {shlex.quote(beginning)}"${variable}"'


def _file_name(file: Attachment) -> str:
    """The name of a file in the folder where the command runs, as `-F` takes it."""
    name = "".join(filter(str.isprintable, PurePosixPath(file.name).name))
    return _quoted(name)


def _quoted(text: str) -> str:
    """`text` in double quotes, as curl's `-F` takes a value with a semicolon."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
