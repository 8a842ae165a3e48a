"""A dialect is one module: what is written in one place is found wherever dialects are used."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from chat_ui.protocol.dialects.registry import DIALECTS, FAMILIES, FAMILY_OF, KNOWN_BACKENDS, described
from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "adding-a-dialect.md"
README = ROOT / "README.md"


async def ran(folder: Path, *arguments: str) -> tuple[int | None, str, str]:
    """The exit status of Python, run with `arguments` in `folder`, and what it wrote."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def printed(folder: Path, *arguments: str) -> str:
    """What Python prints, run with `arguments` in `folder`."""
    status, out, err = await ran(folder, *arguments)
    assert status == 0, err
    return out


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the package with the dialect that the guide makes, and nothing else changed."""
    shutil.copytree(ROOT / "chat_ui", tmp_path / "chat_ui", ignore=shutil.ignore_patterns("__pycache__"))
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "chat_ui" / "protocol" / "dialects" / "families" / "parrot.py").write_text(code)
    return tmp_path


async def test_a_dialect_of_the_guide_is_detected_recognised_and_read(tree: Path):
    def reply(request: Received) -> Reply:
        if request.method != "POST" or request.path != "/parrot":
            return Reply(status=404)
        last = {"says": "morning", "context": {"data_points": ["a.pdf: A."]}, "session_state": "s-1"}
        return Reply([lines({"says": "Good "}), lines(last)])

    async with StandIn(reply).running() as stand_in:
        answer = json.loads(await printed(tree, "-m", "chat_ui", "ask", stand_in.url, "Hello", "--json"))
    assert (answer["text"], answer["dialect"], answer["error"]) == ("Good morning", "parrot", None)
    assert [point["source"] for point in answer["data_points"]] == ["a.pdf"]
    assert answer["session_state"] == "s-1"


async def test_a_connection_test_names_a_dialect_of_the_guide_and_its_place(tree: Path):
    code = """
import asyncio, sys
from chat_ui.protocol import Client, detect
from chat_ui.state.connection import short_verdict

async def main():
    async with Client() as client:
        found = await detect(client, sys.argv[1])
    print(found.backend.url, *short_verdict(found))

asyncio.run(main())
"""

    def reply(request: Received) -> Reply:
        is_question = request.method == "POST" and request.path == "/parrot"
        return Reply([lines({"says": "Good morning"})]) if is_question else Reply(status=404)

    async with StandIn(reply).running() as stand_in:
        words = await printed(tree, "-c", code, stand_in.url)
    assert words.startswith(f"{stand_in.url}/parrot A chat backend answered at {stand_in.url}/parrot ")
    assert "It was recognised as: Parrot. answered" in words


async def test_a_dialect_of_the_guide_is_offered_in_the_settings_and_on_the_command_line(tree: Path):
    offered = "from chat_ui.protocol.dialects.registry import DIALECTS as c; print(dict(c)['parrot'])"
    assert (await printed(tree, "-c", offered)).strip() == "Parrot"
    assert "parrot" in await printed(tree, "-m", "chat_ui", "ask", "--help")


async def test_an_operator_can_fix_a_dialect_of_the_guide(tree: Path):
    named = "from chat_ui.profiles.profile import Profile as P; print(P(name='A', url='http://a', dialect='parrot'))"
    assert "dialect='parrot'" in await printed(tree, "-c", named)


async def test_the_tests_ask_for_the_row_of_a_dialect_in_the_readme(tree: Path):
    for path in ("pyproject.toml", "README.md", "docs/adding-a-dialect.md", "tests/backends", "tests/patience.py"):
        (tree / path).parent.mkdir(exist_ok=True)
        (shutil.copytree if (ROOT / path).is_dir() else shutil.copy)(ROOT / path, tree / path)
    (tree / "tests/protocol").mkdir()
    for path in ("tests/__init__.py", "tests/protocol/__init__.py", "tests/protocol/test_families.py"):
        shutil.copy(ROOT / path, tree / path)
    compared = "-m", "pytest", "-q", "tests/protocol/test_families.py", "-k", "the_table_in_the_readme"
    status, out, _ = await ran(tree, *compared)
    assert status == 1
    assert "parrot" in out
    readme = (tree / "README.md").read_text()
    last = next(line for line in readme.splitlines() if line.startswith("| `knowledge-base` |"))
    (tree / "README.md").write_text(readme.replace(last, f"{last}\n| `parrot` | lines with `says` | Parrot |"))
    assert "1 passed" in await printed(tree, *compared)


def test_each_dialect_and_each_known_backend_has_one_family():
    names = [dialect.name for family in FAMILIES for dialect in family.dialects]
    assert len(names) == len(set(names)) == len(DIALECTS) == len(FAMILY_OF)
    backends = [name for family in FAMILIES for name in family.backends]
    assert len(backends) == len(set(backends)) == len(KNOWN_BACKENDS)
    places = [path for family in FAMILIES for path in family.places]
    ranks = [rank for family in FAMILIES for rank in family.places.values()]
    assert len(places) == len(set(places)) == len(set(ranks))


def test_the_table_in_the_readme_has_a_row_for_each_dialect():
    table = README.read_text().partition("| dialect |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)
    assert rows == [dialect.name for family in FAMILIES for dialect in family.dialects]


@pytest.mark.parametrize(
    ("dialect", "streaming"),
    [("ag-ui", "server"), ("knowledge-base", "server"), ("auto", "auto"), ("openai", "auto"), ("flat", "auto")],
)
def test_a_dialect_with_one_form_of_questions_describes_the_backend(dialect: str, streaming: str) -> None:
    backend = described("http://x.test/agent", dialect)
    assert backend.streaming == streaming
    assert (backend.form is not None) is (streaming == "server")
