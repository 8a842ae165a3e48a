"""The reader of scripts, and its messages for invalid files."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from chat_ui.conversations.people.person import PERSON
from chat_ui.features.presenting.errors import ScriptError
from chat_ui.features.presenting.routes import ScriptRoutes
from chat_ui.features.presenting.script import MOST_BYTES, MOST_STEPS, parse_script, read_script
from chat_ui.server.processes.pool import Uploads
from tests.app import ROOT
from tests.page.routes.serving import served
from tests.timeouts import TIMEOUT

FIVE = b"""\
[[step]]
question = "How much parental leave do I get?"
open = "citation 1"
notes = "The policy is from this year."
[[step]]
question = "Which health plans are there?"
open = "document 2"
[[step]]
question = "Where is the emergency exit?"
open = "thoughts"
[[step]]
question = "What does a buoy cost?"
open = "sources"
[[step]]
question = "Who pays for a taxi?"
"""


def words_of(text: str | bytes) -> str:
    with pytest.raises(ScriptError) as refused:
        parse_script(text if isinstance(text, bytes) else text.encode())
    return str(refused.value)


def test_a_script_has_its_questions_opened_parts_and_notes():
    steps: Any = parse_script(FIVE).as_json()["steps"]
    assert steps[0] == {
        "question": "How much parental leave do I get?",
        "open": {"what": "citation", "number": 1},
        "notes": "The policy is from this year.",
    }
    opened = [step["open"] and step["open"]["what"] for step in steps]
    assert opened == ["citation", "document", "thoughts", "sources", None]


def test_the_documented_script_is_valid():
    text = (ROOT / "docs/presenting.md").read_text("utf-8")
    examples = [block.partition("```")[0] for block in text.split("```toml\n")[1:]]
    assert examples
    for example in examples:
        assert parse_script(example.encode()).step


def test_faults_are_named_together_with_their_places():
    cases = [
        ("", "The script has no steps. Each starts with [[step]]."),
        ("steps = 1", "The script has an unknown key, “steps”."),
        ("[step]\nquestion = 'a'", "The script has no steps."),
        ("[[step]]\nnotes = 'a'", "Step 1: question is missing."),
        ("[[step]]\nquestion = '  '", "Step 1: question is empty."),
        ("[[step]]\nquestion = 'a'\n[[step]]\nquestion = 3", "Step 2: question is not text in quotation marks."),
        ("[[step]]\nquestion = 'a'\nnote = 'b'", "Step 1: the key “note” is not known. Known keys: question, open, no"),
        ("[[step]]\nquestion = 'a'\nopen = 'citation 0'", "Step 1: open cannot be “citation 0”. Use sources"),
        ("[[step]]\nquestion = 'a'\nopen = 'page'", "citation 1 or document 1 (any number)."),
        (f"[[step]]\nquestion = '{'a' * 4001}'", "Step 1: question is longer than 4,000 characters."),
        ("[[step]]\nquestion = 'a'\nopen", "This file is not valid TOML: Expected '=' after a key"),
        ("[[step]]\nquestion = 'a'\nopen citation\n", "Line 3 is not TOML: Expected '=' after a key"),
        (b"[[step]]\nquestion = '\xff'", "This file is not text in UTF-8"),
        ("x = " + "[" * 20_000, "nested too deep"), ("x = " + "9" * 20_000, "a number is too long"),
        ("[[step]]\nquestion = 'a'\n" * (MOST_STEPS + 1), "The script has too many steps: at most 200 are"),
        ("#" * (MOST_BYTES + 1), "The script is too large: at most 64 kB are"),
    ]  # fmt: skip
    for text, words in cases:
        assert words in words_of(text)
    assert words_of("[[step]]\nquestoin = 'a'\n[[step]]\nquestion = 'b'\nopen = 'all'") == (
        "Step 1: question is missing. Step 1: the key “questoin” is not known. Known keys: question, "
        "open, notes. Step 2: open cannot be “all”. Use sources, thoughts, citation 1 or document 1 "
        "(any number)."
    )


@given(st.one_of(st.binary(), st.text().map(str.encode), st.text().map(lambda text: f"[[step]]\n{text}".encode())))
def test_any_file_is_a_script_or_gets_a_message(data: bytes):
    try:
        assert parse_script(data).step
    except ScriptError as refused:
        assert str(refused)


def test_an_unreadable_file_is_named(tmp_path: Path):
    with pytest.raises(ScriptError, match=r"gone\.toml cannot be read: No such file"):
        read_script(tmp_path / "gone.toml")
    (tmp_path / "marked.toml").write_bytes(b"\xef\xbb\xbf" + FIVE)
    assert len(read_script(tmp_path / "marked.toml").step) == 5


def as_somebody(app: ASGIApp) -> ASGIApp:
    """The app with the person that the middleware would have found."""

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, PERSON: "somebody"}, receive, send)

    return asked


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    """A client of a server with the operator's script at `/given`, and of one without at `/none`."""
    uploads = Uploads()
    given_script = ScriptRoutes(parse_script(FIVE), uploads).routes()
    nothing = ScriptRoutes(None, uploads).routes()
    app = Starlette(routes=[Mount("/given", routes=given_script), Mount("/none", routes=nothing)])
    try:
        async with served(as_somebody(app)) as url, httpx2.AsyncClient(base_url=url, timeout=TIMEOUT) as client:
            yield client
    finally:
        await uploads.end()


async def test_the_page_gets_the_operators_script_or_a_file_from_disk(client: httpx2.AsyncClient):
    assert (await client.get("/given/")).json() == parse_script(FIVE).as_json()
    assert (await client.get("/none/")).status_code == 204
    assert (await client.post("/none/", content=FIVE)).json() == parse_script(FIVE).as_json()
    refused = await client.post("/none/", content=b"[[step]]\nnotes = 'a'")
    assert (refused.status_code, refused.text) == (422, "Step 1: question is missing.")
    assert (await client.post("/none/", content=b"#" * 10 * MOST_BYTES)).status_code == 422


@pytest.mark.thorough
async def test_a_costly_file_delays_only_its_sender(client: httpx2.AsyncClient):
    costly = asyncio.ensure_future(client.post("/none/", content=b"a." * 32_000 + b"b = 1"))
    assert (await client.get("/given/")).status_code == 200
    assert not costly.done()
    assert "takes too long to read" in (await costly).text
