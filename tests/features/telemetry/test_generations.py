"""Metrics and log lines of generations, requests and libraries, without text of questions and answers."""

import io
import json
import logging
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import httpx2
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.feedback import DoubtedCitation, Feedback, Rating, Reason
from chat_ui.features.telemetry.generations import GenerationWatch, metrics_are_collected
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.server.logs import REPEATING_LOGGERS, REQUEST_HEADER, configure_logs
from chat_ui.server.middleware.identity import networks_of
from chat_ui.server.middleware.request_log import RequestLog
from tests.conversations.kept import rated
from tests.conversations.repository import nowhere
from tests.page.routes.serving import served
from tests.stand_ins.stand_in import Reply, StandIn, lines

SECRET_WORDS = "the harbour is sold"
ANSWER = Reply(
    [lines({"delta": {"content": "Nobody knows that "}}), b"no json\n", lines({"delta": {"content": SECRET_WORDS}})]
)


class Receiver:
    """A receiver of OTLP over HTTP."""

    def __init__(self) -> None:
        self.metrics: dict[str, list[object]] = {}
        self.app = Starlette(routes=[Route("/v1/metrics", self._take, methods=["POST"])])

    async def _take(self, request: Request) -> Response:
        sent = ExportMetricsServiceRequest.FromString(await request.body())
        for of_resource in sent.resource_metrics:
            for of_scope in of_resource.scope_metrics:
                for metric in of_scope.metrics:
                    points = getattr(metric, metric.WhichOneof("data")).data_points
                    self.metrics[metric.name] = list(points)
        return Response()

    def values(self, name: str) -> dict[str, float]:
        """The values of a metric by its one attribute."""
        return {
            "".join(attribute.value.string_value for attribute in point.attributes): point.as_int or point.as_double
            for point in self.metrics[name]
        }


@asynccontextmanager
async def asked(watch: GenerationWatch, reply: Reply = ANSWER, *, stop: bool = False) -> AsyncIterator[None]:
    """An answer that `watch` observes."""
    conversations = Conversations(nowhere)
    conversations.repository.watches.append(watch)
    async with StandIn(reply).running() as backend, AsyncClient(Bounds(connect_timeout=30)) as client:
        talk = conversations.start("me")
        generation = talk.ask(client, Backend(f"{backend.url}/chat"), f"Is it true that {SECRET_WORDS}?", {}).generation
        if stop:
            await backend.arrived.wait()
            yield
            await generation.stop()
        else:
            await generation.wait_for_end()
            yield


@asynccontextmanager
async def collected(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[GenerationWatch, Receiver]]:
    """A watch of three streams and a lateness of 0.25 s, collected at the end of the context."""
    receiver = Receiver()
    async with served(receiver.app) as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        watch = GenerationWatch()
        async with watch.collecting(lambda: 3, lambda: 0.25):
            yield watch, receiver
    assert SECRET_WORDS not in str(receiver.metrics)


async def test_a_collector_gets_feedback_without_its_text(monkeypatch: pytest.MonkeyPatch):
    async with collected(monkeypatch) as (watch, receiver):
        bad = rated(Feedback(), Rating.BAD, Reason.WRONG, Reason.TONE, comment=SECRET_WORDS)
        doubted = bad.doubting(DoubtedCitation(0, "Buoys.pdf", SECRET_WORDS, 0))
        steps = [Feedback(), bad, doubted, replace(doubted, reasons=(Reason.WRONG,)), Feedback(), Feedback()]
        steps += [rated(Feedback(), Rating.GOOD), rated(Feedback(), Rating.GOOD, comment="fine"), bad]
        for former, now in pairwise(steps):
            watch.feedback_changed(former, now)
    assert receiver.values("chat_ui.feedback") == {"bad": 2, "good": 1}
    assert receiver.values("chat_ui.feedback.reasons") == {"wrong": 2, "tone": 2}
    assert receiver.values("chat_ui.feedback.doubts") == {"": 1}


async def test_a_collector_gets_ends_first_texts_and_warnings(monkeypatch: pytest.MonkeyPatch):
    async with collected(monkeypatch) as (watch, receiver):
        async with asked(watch):
            pass
        async with asked(watch, Reply([float("inf")]), stop=True):
            pass
    assert receiver.values("chat_ui.generations") == {"finished": 1, "stopped": 1}
    assert receiver.values("chat_ui.generations.active") == {"": 0}
    assert receiver.values("chat_ui.streams.active") == {"": 3}
    assert receiver.values("chat_ui.lateness") == {"": 0.25}
    assert sum(receiver.values("chat_ui.warnings").values()) >= 1
    assert [point.count for point in receiver.metrics["chat_ui.generation.first_text"]] == [1]


def test_metrics_go_to_the_collector_of_the_standard_variables():
    endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    of_metrics = {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:4318/v1/metrics"}
    assert all(map(metrics_are_collected, (endpoint, of_metrics)))
    without = {}, {**endpoint, "OTEL_SDK_DISABLED": "true"}, {**endpoint, "OTEL_METRICS_EXPORTER": "none"}
    assert not any(map(metrics_are_collected, without))


@pytest.mark.thorough
def test_a_server_without_a_collector_does_not_load_opentelemetry():
    program = (
        "import asyncio, sys; from chat_ui.features.telemetry.generations import GenerationWatch;"
        "asyncio.run(GenerationWatch().collecting(lambda: 0, lambda: 0.0).__aenter__());"
        "sys.exit(any(name.startswith('opentelemetry.exporter') for name in sys.modules))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0


@pytest.fixture
def own_log() -> Iterator[logging.Logger]:
    """The app's log. The changes of `configure_logs` are undone afterwards."""
    own, made_by = logging.getLogger("chat_ui"), logging.getLogRecordFactory()
    before = own.handlers, own.propagate, own.level
    loggers = [logging.getLogger(name) for name in REPEATING_LOGGERS]
    filters = [logger.filters[:] for logger in loggers]
    yield own
    own.handlers, own.propagate, own.level = before
    logging.setLogRecordFactory(made_by)
    for logger, those in zip(loggers, filters, strict=True):
        logger.filters[:] = those


@pytest.fixture
def logged(own_log: logging.Logger) -> Callable[[], list[dict[str, Any]]]:
    configure_logs("info", as_json=True)
    written = io.StringIO()
    own_log.handlers[0].setStream(written)
    return lambda: [json.loads(line) for line in written.getvalue().splitlines()]


async def test_an_answer_is_a_json_line_without_its_text(logged):
    watch = GenerationWatch()
    async with watch.collecting(lambda: 0, lambda: 0.0), asked(watch):
        pass
    (line,) = [line for line in logged() if "generation" in line]
    assert line["end"] == "finished"
    assert line["level"] == "INFO"
    assert line["backend"].startswith("http://127.0.0.1")
    assert line["warnings"]
    assert SECRET_WORDS not in str(line)


async def test_a_request_is_a_line_with_its_answers_id_without_query_or_link(logged):
    async def hello(_request: Request) -> Response:
        logging.getLogger("chat_ui.hello").warning("something happened")
        return PlainTextResponse("hello")

    routes = Starlette(routes=[Route("/hello", hello)])
    async with served(RequestLog(routes)) as url, httpx2.AsyncClient() as client:
        made = await client.get(f"{url}/hello", params={"q": SECRET_WORDS})
        await client.get(f"{url}/{SECRET_WORDS}/hello", headers={REQUEST_HEADER: "sk-a-key-of-somebody"})
        await client.get(f"{url}/s/{secrets.token_urlsafe(24)}")
    async with served(RequestLog(routes, networks_of(["127.0.0.1"]))) as url, httpx2.AsyncClient() as client:
        kept = await client.get(f"{url}/hello", headers={REQUEST_HEADER: "from-the-proxy.1"})
        refused = await client.get(f"{url}/hello", headers={REQUEST_HEADER: 'forged" line'})
    within, ended, elsewhere, shared, *_ = logged()
    assert (elsewhere["path"], shared["path"]) == ("/…/hello", "/s/…")
    assert "sk-a-key" not in str(logged())
    assert within["request_id"] == ended["request_id"] == made.headers[REQUEST_HEADER]
    assert (ended["method"], ended["path"], ended["status"]) == ("GET", "/hello", 200)
    assert SECRET_WORDS not in str(ended)
    assert kept.headers[REQUEST_HEADER] == "from-the-proxy.1"
    assert refused.headers[REQUEST_HEADER] != 'forged" line'


@pytest.fixture
def recorded(own_log: logging.Logger) -> Iterator[list[logging.LogRecord]]:
    """The library records so far."""
    configure_logs("info", as_json=False)
    records: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = records.append  # type: ignore[method-assign]
    logging.root.addHandler(handler)
    yield records
    logging.root.removeHandler(handler)


httpx2_log = logging.getLogger("httpx2")


def test_a_library_record_tells_the_event_without_sent_data(recorded: list[logging.LogRecord]):
    message = SECRET_WORDS
    httpx2_log.warning(f"No token for {SECRET_WORDS} yet")
    httpx2_log.error("%s: %d packets", SECRET_WORDS, 3)
    httpx2_log.error("{} was dropped".format(SECRET_WORDS))  # noqa: UP032
    httpx2_log.warning(
        "Received an event "
        f"of {SECRET_WORDS}: it is "
        "no event."
    )  # fmt: skip
    httpx2_log.error("Kept " + SECRET_WORDS)
    httpx2_log.warning(message)
    assert [record.getMessage().partition(" (test_generations.py:")[0] for record in recorded] == [
        "httpx2: No token for … yet",
        "httpx2: …: … packets",
        "httpx2: … was dropped",
        "httpx2: Received an event of …: it is no event.",
        "httpx2: Kept",
        "httpx2: a message of values alone",
    ]
    assert not [record for record in recorded if SECRET_WORDS in str(vars(record))]


def test_packet_warnings_are_logged_once_and_ordinary_ones_never(recorded: list[logging.LogRecord]):
    log = logging.getLogger("reflex.app")
    for _ in range(3):
        log.warning("Attempting to send delta to disconnected client %s", SECRET_WORDS)
        log.warning("One packet")
        log.warning("Another packet")
    said = ["reflex.app: One packet", "reflex.app: Another packet"]
    assert [record.getMessage().partition(" (")[0] for record in recorded] == said


def test_errors_of_tasks_are_logged_once_by_type_and_place(recorded: list[logging.LogRecord]):
    for fail in (lambda: int(SECRET_WORDS), lambda: {}[SECRET_WORDS], lambda: int(SECRET_WORDS)):
        try:
            fail()
        except (ValueError, KeyError):
            message = "\n".join(["Task exception was never retrieved", SECRET_WORDS])
            logging.getLogger("asyncio").error(message, exc_info=sys.exc_info())
    assert [str(record.exc_text).partition(" at ")[:2] for record in recorded] == [
        ("ValueError", " at "),
        ("KeyError", " at "),
    ]
    for record in recorded:
        assert record.getMessage().startswith("asyncio: Task exception was never retrieved (")
        assert SECRET_WORDS not in str(vars(record))


@pytest.mark.usefixtures("recorded")
def test_a_librarys_warning_is_a_line_with_its_time_and_level(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(logging.root, "handlers", [])
    configure_logs("info", as_json=False)
    logging.getLogger("redis").warning("It is away")
    assert "WARNING redis: It is away (test_generations.py:" in capfd.readouterr().err
