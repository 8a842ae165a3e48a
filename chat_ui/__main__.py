"""`chat-ui`, or `python -m chat_ui`: the commands, and their exit statuses."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Final

COMPLETE: Final = 0
UNUSABLE: Final = 2
INTERRUPTED: Final = 130
_STANDARD_OUTPUT: Final = 1
_STANDARD_ERROR: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    0: complete, conforming or well; 1: an error of the backend, or not conforming or well. 2: bad usage, or the page
    cannot be served; 3: cut off, unreachable or unreadable; 130: interrupted. An interrupted server is complete.
    """
    if sys.version_info < (3, 11):
        sys.stderr.write(f"chat-ui needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n")
        return UNUSABLE
    given = _with_command(sys.argv[1:] if arguments is None else arguments)
    is_serving = given[0] in {"serve", "record", "replay"}
    try:
        if is_serving and threading.current_thread() is threading.main_thread():
            # The server sets its own handlers. Before, an exception could get lost where Python ignores those.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: os._exit(COMPLETE))
        return _run(given)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output is gone: buffered output must not raise again at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COMPLETE


def _run(arguments: Sequence[str]) -> int:
    # A worker of the server imports this module again, without these.
    from chat_ui.command_line.arguments import key_of, parser
    from chat_ui.feature import check_of
    from chat_ui.installed import FEATURES
    from chat_ui.rendering import claim_check

    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    claim_check.use(check_of(FEATURES))
    commands = parser(FEATURES)
    options = commands.parse_args(arguments)
    if options.command == "serve":
        from chat_ui.command_line.serve import serve

        return serve(options, FEATURES)
    if "key_env" in options:
        try:
            options.key = key_of(options)
        except ValueError as problem:
            commands.error(str(problem))
    if options.command == "ask":
        from chat_ui.command_line.ask import ask

        return asyncio.run(ask(options, options.key))
    status: int = options.run(options)
    return status


def _open_what_is_closed() -> None:
    """Point standard streams that the shell closed to the null device: a later file would take their place."""
    while (opened := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        os.set_inheritable(opened, True)
    os.close(opened)
    sys.stdout = sys.stdout or os.fdopen(_STANDARD_OUTPUT, "w")
    sys.stderr = sys.stderr or os.fdopen(_STANDARD_ERROR, "w")


def _with_command(arguments: Sequence[str]) -> Sequence[str]:
    is_none = not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version"))
    return ["serve", *arguments] if is_none else arguments


if __name__ == "__main__":
    sys.exit(main())
