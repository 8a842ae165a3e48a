"""A dialect is one module: what is written in one place is found wherever dialects are used."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from chat_ui.protocol.dialects.registry import DIALECTS, FAMILIES, FAMILY_OF, KNOWN_BACKENDS
from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "adding-a-dialect.md"
README = ROOT / "README.md"


async def printed(folder: Path, *arguments: str) -> str:
    """What Python prints, run with `arguments` in `folder`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


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
        return Reply([lines({"says": "Good "}), lines({"says": "morning", "context": {"data_points": ["a.pdf: A."]}})])

    async with StandIn(reply).running() as stand_in:
        answer = json.loads(await printed(tree, "-m", "chat_ui", "ask", stand_in.url, "Hello", "--json"))
    assert (answer["text"], answer["dialect"], answer["error"]) == ("Good morning", "parrot", None)
    assert [point["source"] for point in answer["data_points"]] == ["a.pdf"]


async def test_a_dialect_of_the_guide_is_offered_in_the_settings_and_on_the_command_line(tree: Path):
    offered = "from chat_ui.state.backend_dialog import DIALECT_CHOICES as c; print(dict(c)['parrot'])"
    assert (await printed(tree, "-c", offered)).strip() == "Parrot"
    assert "parrot" in await printed(tree, "-m", "chat_ui", "ask", "--help")


def test_each_dialect_and_each_known_backend_has_one_family():
    names = [dialect.name for family in FAMILIES for dialect in family.dialects]
    assert len(names) == len(set(names)) == len(DIALECTS) == len(FAMILY_OF)
    backends = [name for family in FAMILIES for name in family.backends]
    assert len(backends) == len(set(backends)) == len(KNOWN_BACKENDS)
    places = [path for family in FAMILIES for path in family.places]
    ranks = [rank for family in FAMILIES for rank in family.places.values()]
    assert len(places) == len(set(places)) == len(set(ranks))


def test_the_table_in_the_readme_is_that_of_the_families():
    rows = [
        f"| `{dialect.name}` | {dialect.what} | {dialect.known_from} |"
        for family in FAMILIES
        for dialect in family.dialects
    ]
    table = "\n".join(["| dialect | what it is | known from |", "|---|---|---|", *rows])
    assert table in README.read_text(), f"the table is to be:\n{table}"
