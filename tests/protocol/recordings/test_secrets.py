"""Credentials of a request are not in its recording, for any place and any echo."""

import json
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest

from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.documents.document_fetch import fetch_document
from chat_ui.protocol.documents.document_urls import named_document
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import header_for
from tests.made_sets import thinned
from tests.protocol.asking import PATIENT
from tests.protocol.recordings.taping import played, recording_client
from tests.stand_ins.stand_in import Received, Reply, lines

SECRETS = {
    "bearer": "sk-live-4f9a8b7c6d5e4f3a2b1c",
    "api-key": "k3y7x9",
    "custom": "Zm9vYmFyYmF6cXV4MTIzNA==",
    "cookie": "a1b2c3d4e5f6g7h8",
    "short cookie": "x9y8z7",
    "password": "Tr0ub4dor&3",
    "query": "func+code/17==",
    "data source": 'se@rch-"key"-ä',
    "override": "hunter2hunter2",
    "extra": "eyJhbGciOiJIUzI1NiJ9.e30.abc",
}
HEADERS = {
    "Authorization": f"Bearer {SECRETS['bearer']}",
    "api-key": SECRETS["api-key"],
    "X-Custom": SECRETS["custom"],
    "X-Upstream": "Basic " + b64encode(f"alice:{SECRETS['password']}".encode()).decode(),
    "Cookie": f'lang=english; session={SECRETS["cookie"]}; sid="{SECRETS["short cookie"]}"',
}
EXTRA = {
    "data_sources": [{"type": "azure_search", "parameters": {"authentication": {"key": SECRETS["data source"]}}}],
    "token": SECRETS["extra"],
    "pin_secret": "1234",
}
QUESTION = ChatRequest(
    (Message("user", f"Why is {SECRETS['bearer']} refused?"),), overrides={"db_password": SECRETS["override"], "top": 3}
)


def forms_of(secret: str) -> set[str]:
    return {secret, json.dumps(secret)[1:-1], json.dumps(json.dumps(secret)[1:-1])[1:-1], quote(secret, safe="")}


def backend(origin: str, **options: object) -> Backend:
    query = f"code={quote(SECRETS['query'], safe='')}&api-version=1"
    return Backend(f"{origin}/chat?{query}", headers=HEADERS, extra_body=EXTRA, **options)  # type: ignore[arg-type]


def echoed(request: Received, size: int) -> Reply:
    """A reply that echoes the request in pieces: in headers, raw, and in JSON."""
    body = lines(
        {"delta": {"content": "You sent, in english: "}},
        {"delta": {"content": json.dumps(request.headers, ensure_ascii=False)}},
        {"delta": {"content": " ".join(SECRETS.values())}},
        {"context": {"data_points": {"text": [f"a.pdf: {request.path}"]}}},
    )
    body += request.headers.get("authorization", "").encode() + b"\n" + request.body + b"\n"
    headers = {
        "Content-Type": "application/jsonl",
        "Set-Cookie": f"session={SECRETS['cookie']}",
        "X-Echo": request.headers.get("authorization", ""),
        "X-Session-Token": "issued-by-the-server",
        "Content-Location": f"/chat?sig=issued&code={quote(SECRETS['query'], safe='')}",
    }
    return Reply([body[at : at + size] for at in range(0, len(body), size)], headers=headers)


def assert_nothing_secret(path: Path) -> str:
    written = path.read_text()
    decoded = "".join(json.dumps(json.loads(line), ensure_ascii=False) for line in written.splitlines())
    joined = "".join(line[2] for line in map(json.loads, written.splitlines()) if isinstance(line, list))
    for name, secret in SECRETS.items():
        assert not any(form in text for form in forms_of(secret) for text in (written, decoded, joined)), name
    assert not any(issued in written for issued in ("issued-by-the-server", "sig=issued"))
    # A short secret looks like other words, so it is masked only by its name.
    requests = [line for line in written.splitlines() if line.startswith('{"exchange"')]
    assert not any('"1234"' in line for line in requests)
    return written


@pytest.mark.parametrize("size", thinned([1, 3, 7, 64, 1_000_000], one_in=2))
async def test_a_recorded_question_has_no_secret(size: int, tmp_path: Path) -> None:
    async with recording_client(tmp_path / "a.jsonl", lambda request: echoed(request, size)) as (stand_in, client):
        answer = await client.ask(backend(stand_in.url), QUESTION)
        (request,) = stand_in.requests
    assert "You sent" in answer.text
    for name in ("bearer", "api-key", "custom", "cookie", "data source", "override"):
        assert any(form in f"{request.headers} {request.body.decode()}" for form in forms_of(SECRETS[name])), name
    assert_nothing_secret(tmp_path / "a.jsonl")
    recording = Recording.open(tmp_path / "a.jsonl")
    (exchange,) = recording.exchanges
    assert (exchange.path, exchange.question) == ("/chat/stream?code=…&api-version=1", "Why is … refused?")
    # Many pieces are written as several, which may end within a word.
    body = b"".join(await played(recording))
    assert b"You sent" in body
    assert b"english" in body
    assert len(body) == sum(len(piece) for piece in echoed(request, size).writes if isinstance(piece, bytes))


async def test_a_recorded_form_with_files_has_no_secret(tmp_path: Path) -> None:
    image = Attachment("a.png", "image/png", b"\x89PNG\r\n" + bytes(range(256)))
    asked = ChatRequest((Message("user", "What is this?", (image,)),), overrides=QUESTION.overrides)
    async with recording_client(tmp_path / "a.jsonl", lambda request: echoed(request, 50)) as (stand_in, client):
        await client.ask(backend(stand_in.url, files="multipart"), asked)
    assert_nothing_secret(tmp_path / "a.jsonl")
    (exchange,) = Recording.open(tmp_path / "a.jsonl").exchanges
    assert (exchange.question, exchange.place) == ("What is this?", 1)


async def test_a_recorded_document_or_probe_has_no_secret(tmp_path: Path) -> None:
    document = named_document("Plans.txt")
    assert document is not None
    async with recording_client(tmp_path / "a.jsonl", lambda request: echoed(request, 9)) as (stand_in, client):
        asked = backend(stand_in.url)
        found = await fetch_document(client, asked, document, {}, max_bytes=1_000_000, bounds=PATIENT)
        assert b"".join([piece async for piece in found.body])
        await client.probe("OPTIONS", asked.url, asked.headers)
    # Echoes of other requests are not known to be secret here.
    written = (tmp_path / "a.jsonl").read_text()
    for name in ("bearer", "api-key", "custom", "cookie", "short cookie"):
        assert SECRETS[name] not in written, name
    assert "issued-by-the-server" not in written


def test_a_recording_has_no_secret_in_its_header_and_no_key_in_a_path() -> None:
    line = header_for(backend("https://plans.example"), "sample").line.decode()
    described = json.loads(line)["backend"]
    assert (described["address"], described["path"]) == ("https://plans.example", "/chat?code=…&api-version=1")
    for secret in SECRETS.values():
        assert not any(form in line for form in forms_of(secret))

    at = Backend(f"https://plans.example/{SECRETS['bearer']}/chat", headers=HEADERS)
    assert SECRETS["bearer"].encode() not in header_for(at).line
