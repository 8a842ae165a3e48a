from pathlib import Path

import httpx2
import pytest

from tests.app import App

pytestmark = [pytest.mark.timeout(400), pytest.mark.thorough]


def test_a_second_server_on_a_database_is_refused_in_words(built_app: Path, tmp_path: Path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one = App(tmp_path / "one", {}, built_app)
    other = App(tmp_path / "other", {"CHAT_UI_DATA_DIR": str(one.data)}, built_app)
    one.start()
    try:
        with pytest.raises(RuntimeError, match="did not start"):
            other.start()
        assert f"Another server uses the database {one.data / 'chat.db'}" in other.log
        assert "Traceback" not in other.log
        assert httpx2.get(f"{one.url}/ready").json() == {"store": True, "workers": True}
    finally:
        one.end()
    other.start()
    other.end()
