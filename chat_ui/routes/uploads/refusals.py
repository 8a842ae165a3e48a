"""Words for a person whose file was not taken."""

from __future__ import annotations

import logging
from typing import Final, TypeAlias

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from chat_ui.processes.pool import TooCostlyError
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.translatable import msg
from chat_ui.routes.owned import said
from chat_ui.routes.request_body import TooLargeError

logger = logging.getLogger(__name__)

Refusal: TypeAlias = TooLargeError | TooCostlyError | TimeoutError | ClientDisconnect | OSError
REFUSALS: Final = (TooLargeError, TooCostlyError, TimeoutError, ClientDisconnect, OSError)


def refused(error: Refusal, most_bytes: int) -> Response:
    """The response to a file that did not arrive, has more than `most_bytes`, takes too long to read or has no place on
    the disk.
    """
    if isinstance(error, TooLargeError):
        words = msg("This file is larger than {most}, the most that is taken here.", most=in_words(most_bytes))
        return said(words, 413)
    if isinstance(error, TooCostlyError):
        return said(msg("This file takes too long to read, so it is not taken. Cut it in parts."), 415)
    # Its folder is gone where everything of the person's was deleted meanwhile.
    if isinstance(error, OSError) and not isinstance(error, TimeoutError | FileNotFoundError):
        logger.warning("a file cannot be kept: %s", error.strerror)
        return said(
            msg("The file could not be kept: this page's server cannot write to its disk, which may be full."), 507
        )
    return said(msg("The file did not arrive. Try again."), 408)
