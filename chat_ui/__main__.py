"""`python -m chat_ui`: the commands, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Final

from chat_ui.command_line.arguments import key_of, parser
from chat_ui.command_line.ask import ask
from chat_ui.command_line.check import check_backend

COMPLETE: Final = 0
INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status.

    0: complete, or it conforms; 1: the backend reported an error, or does not conform; 2: bad usage; 3: cut off or
    unreachable; 130: interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    commands = parser()
    options = commands.parse_args(arguments)
    try:
        key = key_of(options)
    except ValueError as problem:
        commands.error(str(problem))
    try:
        return asyncio.run(check_backend(options, key) if options.command == "check" else ask(options, key))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output is gone: buffered output must not raise again at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COMPLETE


if __name__ == "__main__":
    sys.exit(main())
