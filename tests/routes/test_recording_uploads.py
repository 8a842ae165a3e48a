"""Files of recordings that people send, over HTTP."""

from __future__ import annotations

import json
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from chat_ui.conversations.people.person import PERSON
from chat_ui.processes.uploads import Uploads
from chat_ui.profiles.recording_files import MOST_FILES
from chat_ui.routes.uploads.recording_uploads import RecordingRoutes
from tests.profiles.recorded import files_in, recording_of
from tests.routes.serving import served

HEADER = json.dumps({"format": "chat-ui-recording", "version": 1, "created_at": "", "backend": {}})
NEWER = json.dumps({"format": "chat-ui-recording", "version": 2})
REFUSED = {
    "another file": (b"\x00\xff%PDF", "not a recording"),
    "an empty file": (b"", "This file is empty"),
    "another version": (NEWER.encode(), "newer version"),
    "a recording without a question": (HEADER.encode(), "no answered question"),
    "a recording of nonsense": (HEADER.encode() + b"\n" + b"[" * 50_000 + b"\n[1]\n{}\n", "no answered question"),
}


def named_by_cookie(app: ASGIApp) -> ASGIApp:
    async def named(scope: Scope, receive: Receive, send: Send) -> None:
        person = dict(scope.get("headers", ())).get(b"cookie", b"").decode()
        await app({**scope, PERSON: person}, receive, send)

    return named


@asynccontextmanager
async def uploads(folder: Path, *, may_drop: bool = True) -> AsyncIterator[httpx.AsyncClient]:
    reading = Uploads()
    routes = RecordingRoutes(files_in(folder), reading, may_drop=may_drop).routes()
    app = Starlette(routes=[Mount("/recordings", routes=routes)])
    app.add_middleware(named_by_cookie)  # type: ignore[arg-type]
    try:
        async with served(app) as url, httpx.AsyncClient(base_url=url, headers={"Cookie": "ann"}) as client:
            yield client
    finally:
        await reading.end()


async def test_a_recording_is_kept_for_its_person_alone(tmp_path: Path):
    data = recording_of(tmp_path / "a.jsonl", "Yes.").read_bytes()
    async with uploads(tmp_path) as client:
        taken = await client.post("/recordings/", content=data)
        assert taken.status_code == 201
        address = f"/recordings/{taken.json()['id']}"
        mine = await client.get(address, params={"name": "../Plans\r\nX: 1"})
        assert mine.content == data
        assert mine.headers["content-disposition"] == "attachment; filename*=UTF-8''Plans%20X%201.jsonl"
        for headers in ({"Cookie": "bob"}, {"Cookie": ""}):
            assert (await client.get(address, headers=headers)).status_code in {403, 404}
        for name in ("..%2Fa", "%2e%2e", "a" * 22):
            assert (await client.get(f"/recordings/{name}")).status_code == 404


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
async def test_what_is_no_recording_is_refused_with_the_reason_and_not_kept(tmp_path: Path, data: bytes, words: str):
    async with uploads(tmp_path) as client:
        refused = await client.post("/recordings/", content=data)
    assert refused.status_code == 415
    assert words in refused.text
    assert str(tmp_path) not in refused.text
    assert [path for path in (tmp_path / "recordings").rglob("*") if path.is_file()] == []


async def test_bounds_of_size_number_and_age_hold(tmp_path: Path):
    data = recording_of(tmp_path / "a.jsonl", "Yes.").read_bytes()
    files = files_in(tmp_path)
    async with uploads(tmp_path) as client:
        large = await client.post("/recordings/", content=data + b"\n" * files.file_bytes)
        assert large.status_code == 413
        assert "97.7 KB" in large.text
        ids = [(await client.post("/recordings/", content=data)).json()["id"] for _ in range(MOST_FILES)]
        assert (await client.post("/recordings/", content=data)).status_code == 507
        old = files.find("ann", ids[0])
        assert old is not None
        os.utime(old, (0, time.time() - 2 * 86_400))
        assert (await client.get(f"/recordings/{ids[0]}")).status_code == 404
        files.purge()
        assert not old.exists()
        assert (await client.post("/recordings/", content=data)).status_code == 201


async def test_nothing_is_taken_where_the_operator_chooses_the_backends(tmp_path: Path):
    async with uploads(tmp_path, may_drop=False) as client:
        assert (await client.post("/recordings/", content=b"{}")).status_code == 403
