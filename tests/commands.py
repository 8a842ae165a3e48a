"""Commands of `python -m chat_ui`, in the process of the test or in a child process."""

import asyncio
import io
import os
import pty
import signal
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import NamedTuple
from unittest.mock import patch

from chat_ui.__main__ import main
from tests.timeouts import TIMEOUT


class Ran(NamedTuple):
    status: int
    out: str
    err: str


async def run(*arguments: str, typed: str = "", encoding: str = "utf-8", **environment: str) -> Ran:
    """Run a command on a thread, with `typed` as its standard input and `environment` added to the test's."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "stdin", io.StringIO(typed)),
        patch.dict(os.environ, environment),
    ):
        status = await asyncio.wait_for(asyncio.to_thread(_status, arguments), TIMEOUT)
    return Ran(status, *(_written(stream) for stream in (out, err)))


async def run_on_a_terminal(*arguments: str, columns: int = 140, typed: Mapping[str, str] = {}) -> tuple[int, str]:
    """Run a command on a thread with a terminal, and return its status and output. `typed` has keys by the prompt that
    they follow.
    """
    leader, follower = pty.openpty()
    size = {"TERM": "xterm", "COLUMNS": str(columns), "LINES": "50"}
    reading = asyncio.create_task(asyncio.to_thread(_all_shown, leader, typed))
    with (
        os.fdopen(follower, "w", encoding="utf-8") as terminal,
        redirect_stdout(terminal),
        redirect_stderr(terminal),
        patch.object(sys, "stdin", terminal),
        patch.dict(os.environ, size),
    ):
        status = await asyncio.wait_for(asyncio.to_thread(_status, arguments), TIMEOUT)
    return status, await asyncio.wait_for(reading, TIMEOUT)


def _all_shown(leader: int, typed: Mapping[str, str]) -> str:
    """Output of a terminal until its last process closes it, which Linux reports as an error."""
    shown, left = bytearray(), dict(typed)
    with os.fdopen(leader, "r+b", buffering=0) as terminal, suppress(OSError):
        while piece := terminal.read(65_536):
            shown += piece
            for prompt in [one for one in left if shown.endswith(one.encode())]:
                terminal.write(left.pop(prompt).encode())
    return shown.decode("utf-8", "replace")


def _status(arguments: tuple[str, ...]) -> int:
    try:
        return main(arguments)
    except SystemExit as ended:
        assert isinstance(ended.code, int)
        return ended.code


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


async def start(*arguments: str, **environment: str) -> asyncio.subprocess.Process:
    """Start a command in a child process that heeds SIGINT."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chat_ui", *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env={**os.environ, **environment},
        preexec_fn=_heed_interrupts,
    )  # fmt: skip


def _heed_interrupts() -> None:
    """Reset SIGINT, which a shell has background processes ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
