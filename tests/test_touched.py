from pathlib import Path

import pytest

from tests.touched import of_files


@pytest.mark.parametrize(
    ("changed", "among"),
    [
        ("chat_ui/conversations/stored_repository.py", ["tests/conversations"]),
        ("chat_ui/settings.py", ["tests/test_settings.py"]),
        (
            "chat_ui/features/commands/page/palette.jsx",
            ["tests/page/test_imports.py", "tests/browser/test_commands.py"],
        ),
        ("deployment/wheel.py", ["tests/deployment"]),
        ("tests/app.py", ["tests/server/test_database_lock.py"]),
        ("docs/using.md", ["tests/test_documentation.py"]),
    ],
)
def test_a_change_selects_the_tests_of_its_users(changed: str, among: list[str]):
    assert {*map(Path, among)} <= {*of_files([Path(changed)])}
