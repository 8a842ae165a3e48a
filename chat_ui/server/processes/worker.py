"""A process of `chat_ui.server.processes.pool`, which calls one function after the other.

A message is a length in eight bytes and a pickle. A request has the tag and the catalogue of the language, the check of
claims, a function, its arguments and its seconds of processor time. An answer has whether the function returned, and
the result or the exception. The process ends with its input, or with a function that takes longer.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import resource
import signal
import sys
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from chat_ui.languages.language import ENGLISH, Language
from chat_ui.languages.translation import speak
from chat_ui.rendering import claim_check
from chat_ui.rendering.markdown import code_blocks

logger = logging.getLogger(__name__)

HEAD: Final = 8
"""Bytes of a message's length."""
_SECONDS: Final = 600


def message(value: object) -> tuple[bytes, bytes]:
    """A value as a message: its length, and the pickle."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(HEAD), data


def main(memory: int, niceness: int) -> None:
    """Run incoming calls, within `memory` bytes of address space."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.nice(niceness)
    # A killed server reads no answer, and this ends without a message.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # A function's own input and output must not mix with the messages.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    # A full collection of all imported objects would take more of a call's time than colours may.
    gc.freeze()
    code_blocks.allowance = code_blocks.BESIDE
    while head := requests.read(HEAD):
        # The worker ends with the server, even in the middle of a call.
        signal.alarm(_SECONDS)
        answer = _answered(requests, int.from_bytes(head))
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.writelines(answer)
        answers.flush()
        signal.alarm(0)


def _answered(requests: BinaryIO, length: int) -> tuple[bytes, bytes]:
    try:
        language, check, function, arguments, seconds = pickle.loads(requests.read(length))  # noqa: S301 - the server's own
        speak(_language(*language))
        claim_check.use(check)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        return message((True, function(*arguments)))
    except Exception as error:  # noqa: BLE001 - raised again in the server
        try:
            return message((False, error))
        except Exception:  # noqa: BLE001 - it cannot be pickled
            return message((False, RuntimeError(f"{type(error).__name__} in a process")))


@cache
def _language(tag: str, file: Path | None) -> Language:
    language = Language(tag, file)
    try:
        language.read()
    except ValueError as error:
        # An operator's file may be gone since the server has read it.
        logger.warning("a catalogue could not be read; English is used instead: %s", error)
        return ENGLISH
    return language


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
