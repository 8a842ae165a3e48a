import logging
from collections.abc import Iterator

import pytest

from chat_ui.telemetry.logs import REPEATING_LOGGERS


@pytest.fixture
def own_log() -> Iterator[logging.Logger]:
    """The app's own log. Afterwards all that `configure_logs` sets is as it was."""
    own, made_by = logging.getLogger("chat_ui"), logging.getLogRecordFactory()
    before = own.handlers, own.propagate, own.level
    loggers = [logging.getLogger(name) for name in REPEATING_LOGGERS]
    filters = [logger.filters[:] for logger in loggers]
    yield own
    own.handlers, own.propagate, own.level = before
    logging.setLogRecordFactory(made_by)
    for logger, those in zip(loggers, filters, strict=True):
        logger.filters[:] = those
