"""Telemetry of generations: a log line at the end of each, and optional metrics."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.records.feedback import Feedback
from chat_ui.protocol.events import ErrorInfo

if TYPE_CHECKING:
    from chat_ui.features.telemetry.metrics import Metrics

logger = logging.getLogger(__name__)

_CODE: Final = re.compile(r"[a-z_]{1,40}|[0-9]{3}")


class GenerationWatch:
    """Watches generations, each by a task while it is `running` here. `metrics` is None if disabled."""

    def __init__(self) -> None:
        self.metrics: Metrics | None = None
        self.running: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def collecting(self, streams: Callable[[], int], lateness: Callable[[], float]) -> AsyncIterator[None]:
        """Collect metrics within the context, if enabled, and flush them at its end. `streams` returns the number of
        open streams, and `lateness` the seconds of rendering delay.
        """
        if metrics_are_collected(os.environ):
            from chat_ui.features.telemetry.metrics import Metrics  # noqa: PLC0415 - costs time and memory

            self.metrics = Metrics(streams, lateness)
        try:
            yield
        finally:
            await asyncio.gather(*self.running)
            if self.metrics is not None:
                await asyncio.to_thread(self.metrics.close)

    def __call__(self, generation: LocalGeneration) -> None:
        task = asyncio.create_task(self._watch(generation), name=f"watching {generation.id}")
        self.running.add(task)
        task.add_done_callback(self.running.discard)

    def feedback_changed(self, former: Feedback, now: Feedback) -> None:
        if self.metrics is not None:
            self.metrics.feedback_changed(former, now)

    async def _watch(self, generation: LocalGeneration) -> None:
        if self.metrics is not None:
            self.metrics.generation_began()
        await generation.wait_for_end()
        answer = generation.answer
        if self.metrics is not None:
            self.metrics.generation_ended(generation.status, answer)
        backend = urlsplit(generation.backend.url)
        logger.info(
            "a generation has ended",
            extra={
                "generation": generation.id,
                "end": generation.status.value,
                "backend": f"{backend.scheme}://{backend.hostname}",
                "dialect": answer.dialect,
                "seconds": round((generation.ended_at or time.time()) - generation.started_at, 3),
                "first_text_seconds": answer.timing.first_text,
                "characters": len(answer.text),
                "error": _code(answer.error),
                "warnings": [warning.code for warning in answer.warnings],
            },
        )


def _code(error: ErrorInfo | None) -> str | None:
    """The code of an error if it is a word or a status; backends may send any text."""
    if error is None:
        return None
    return error.code if error.code and _CODE.fullmatch(error.code) else "other"


def metrics_are_collected(environment: Mapping[str, str]) -> bool:
    """Whether the standard variables enable metrics."""
    off = (
        environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or environment.get("OTEL_METRICS_EXPORTER") == "none"
    )
    names = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
    return not off and any(environment.get(name) for name in names)
