"""OpenTelemetry metrics, sent to the endpoint of the standard variables.

The module is only imported if enabled: OpenTelemetry costs time and memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource

from chat_ui.conversations.records.feedback import Feedback
from chat_ui.conversations.records.records import Status
from chat_ui.protocol.answers.answer import Answer

_FIRST_TEXT_SECONDS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)


class Metrics:
    """Counts of generations by outcome, the time to their first text, and counts of feedback.

    `streams` returns the number of open streams, and `lateness` the seconds of rendering delay. `reader` reads them;
    the default sends them by OTLP over HTTP.
    """

    def __init__(
        self, streams: Callable[[], int], lateness: Callable[[], float], reader: MetricReader | None = None
    ) -> None:
        named = {} if "OTEL_SERVICE_NAME" in os.environ else {SERVICE_NAME: "chat-ui"}
        self._provider = MeterProvider(
            [reader or PeriodicExportingMetricReader(OTLPMetricExporter())], Resource.create(named)
        )
        meter = self._provider.get_meter("chat_ui")
        self._generations = meter.create_counter("chat_ui.generations", "{generation}", "Generations by how they ended")
        self._active = meter.create_up_down_counter("chat_ui.generations.active", "{generation}", "Running generations")
        self._first_text = meter.create_histogram(
            "chat_ui.generation.first_text",
            "s",
            "From the question to the first text of the answer",
            explicit_bucket_boundaries_advisory=_FIRST_TEXT_SECONDS,
        )
        self._warnings = meter.create_counter(
            "chat_ui.warnings", "{warning}", "What was wrong in how backends answered, by code"
        )
        self._feedback = meter.create_counter("chat_ui.feedback", "{rating}", "Answers that people rated, by rating")
        self._reasons = meter.create_counter("chat_ui.feedback.reasons", "{reason}", "Why answers were rated as bad")
        self._doubts = meter.create_counter(
            "chat_ui.feedback.doubts",
            "{citation}",
            "Citations whose passage does not say what they are cited for",
        )

        def observed(_options: CallbackOptions) -> Iterable[Observation]:
            yield Observation(streams())

        def late(_options: CallbackOptions) -> Iterable[Observation]:
            yield Observation(lateness())

        meter.create_observable_gauge("chat_ui.lateness", [late], "s", "By how long text is read and shown late")
        meter.create_observable_up_down_counter(
            "chat_ui.streams.active", [observed], "{stream}", "Pages that follow a running answer"
        )

    def generation_began(self) -> None:
        self._active.add(1)

    def generation_ended(self, end: Status, answer: Answer) -> None:
        self._active.add(-1)
        self._generations.add(1, {"end": end.value})
        if answer.timing.first_text is not None:
            self._first_text.record(answer.timing.first_text)
        for warning in answer.warnings:
            self._warnings.add(1, {"code": warning.code})

    def feedback_changed(self, former: Feedback, now: Feedback) -> None:
        """Count the changes of a person's feedback on an answer."""
        if now.rating is not None and now.rating is not former.rating:
            self._feedback.add(1, {"rating": now.rating.value})
        for reason in set(now.reasons) - set(former.reasons):
            self._reasons.add(1, {"reason": reason.value})
        if new := {one.use for one in now.doubted} - {one.use for one in former.doubted}:
            self._doubts.add(len(new))

    def close(self) -> None:
        """Flush the metrics; this may wait for the collector."""
        self._provider.shutdown()
