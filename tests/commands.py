"""Commands of `python -m chat_ui`, in the process of the test or in one of their own."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from chat_ui.__main__ import main
from tests.patience import PATIENCE


class Ran(NamedTuple):
    status: int
    out: str
    err: str


async def run(*arguments: str, typed: str = "", **environment: str) -> Ran:
    """Run a command on a thread, with `typed` on its standard input and `environment` added to that of the test."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "stdin", io.StringIO(typed)),
        patch.dict(os.environ, environment),
    ):
        status = await asyncio.wait_for(asyncio.to_thread(_status, arguments), PATIENCE)
    return Ran(status, *(_written(stream) for stream in (out, err)))


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
    """Start a command in a process of its own, which heeds an interrupt."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chat_ui", *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env={**os.environ, **environment},
        preexec_fn=_heed_interrupts,
    )  # fmt: skip


def _heed_interrupts() -> None:
    """A shell starts what runs in its background with SIGINT ignored, and a child inherits that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
