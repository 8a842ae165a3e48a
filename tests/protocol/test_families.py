"""A dialect is one module, and used wherever dialects are."""

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from chat_ui.protocol.dialects.registry import DIALECTS, FAMILIES, FAMILY_OF, KNOWN_BACKENDS, described
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines
from tests.timeouts import TIMEOUT

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "adding-a-dialect.md"
FORMATS = ROOT / "docs" / "formats.md"


async def printed(folder: Path, *arguments: str) -> str:
    """The output of Python with `arguments` in `folder`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), TIMEOUT)
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the package with the guide's dialect as its only change."""
    # Another process may be writing bytecode.
    shutil.copytree(ROOT / "chat_ui", tmp_path / "chat_ui", ignore=shutil.ignore_patterns("*.pyc.*"))
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "chat_ui" / "protocol" / "dialects" / "families" / "parrot.py").write_text(code)
    return tmp_path


async def test_a_dialect_of_the_guide_is_detected_recognised_and_read(tree: Path):
    code = """
import asyncio, sys
from chat_ui.__main__ import main
from chat_ui.backends.profile import Profile
from chat_ui.protocol import AsyncClient, detect
from chat_ui.protocol.dialects.registry import DIALECTS, label_of

async def tested():
    async with AsyncClient() as client:
        return await detect(client, sys.argv[1])

print(dict(DIALECTS)["parrot"], Profile(name="A", url="http://a", dialect="parrot").dialect)
answered = asyncio.run(tested())
print(answered.backend.url, label_of(answered.answer.dialect))
main(["ask", sys.argv[1], "Hello", "--json"])
main(["ask", "--help"])
"""

    def reply(request: Received) -> Reply:
        if request.method != "POST" or request.path != "/parrot":
            return Reply(status=404)
        last = {"says": "morning", "context": {"data_points": ["a.pdf: A."]}, "session_state": "s-1"}
        return Reply([lines({"says": "Good "}), lines(last)])

    async with StandIn(reply).running() as stand_in:
        offered, found, told, *usage = (await printed(tree, "-c", code, stand_in.url)).splitlines()
    assert offered == "Parrot parrot"
    assert found == f"{stand_in.url}/parrot Parrot"
    answer = json.loads(told)
    assert (answer["text"], answer["dialect"], answer["error"]) == ("Good morning", "parrot", None)
    assert [point["source"] for point in answer["data_points"]] == ["a.pdf"]
    assert answer["session_state"] == "s-1"
    assert "parrot" in " ".join(usage)


def test_each_dialect_has_one_family_and_a_row_in_the_documents():
    names = [dialect.name for family in FAMILIES for dialect in family.dialects]
    table = FORMATS.read_text().partition("| dialect |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| ([^:|]+):", table, re.MULTILINE)
    assert rows == [(name, DIALECTS[name]) for name in names]
    assert len(names) == len(set(names)) == len(DIALECTS) == len(FAMILY_OF)
    backends = [name for family in FAMILIES for name in family.backends]
    assert len(backends) == len(set(backends)) == len(KNOWN_BACKENDS)
    places = [path for family in FAMILIES for path in family.places]
    ranks = [rank for family in FAMILIES for rank in family.places.values()]
    assert len(places) == len(set(places)) == len(set(ranks))


def test_a_dialect_with_one_form_of_questions_describes_the_backend() -> None:
    for name in ("ag-ui", "knowledge-base", "auto", "openai", "flat"):
        backend, has_one = described("http://x.test/agent", name), name in {"ag-ui", "knowledge-base"}
        assert (backend.streaming, backend.request_format is not None) == ("server" if has_one else "auto", has_one), (
            name
        )
