"""Tests by the files that they cover, so that a change is checked within a minute."""

import subprocess
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import grimp

_OF_ROOMS = (Path("tests/features"), Path("tests/page"))
_ALWAYS = (Path("tests/test_documentation.py"), Path("tests/test_scale.py"))
_MAIN_JOURNEY = Path("tests/browser/test_asking.py")


def changed_files() -> list[Path]:
    """Files changed since the last commit, with untracked ones. Without changes, the files of that commit."""
    since = _git("diff", "--name-only", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in since or _git("diff", "--name-only", "HEAD~1", "HEAD")]


def _git(*arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()


def of_files(files: Sequence[Path]) -> list[Path]:
    """The tests of the files' folders, and every test file that directly imports one of the files.

    A change of the page adds the browser tests with the name of the file or of its folders.
    """
    graph = grimp.build_graph("chat_ui", "tests", cache_dir=None)
    found = {file for file in files if _is_test(file) and file.exists()}
    for file in files:
        if file.suffix == ".py" and (module := _module(file)) in graph.modules:
            found |= {path for path in map(_path, graph.find_modules_that_directly_import(module)) if _is_test(path)}
        within = file.parts[file.parts[0] == "chat_ui" : -1]
        mirrored = (Path("tests", *within[:depth]) for depth in range(len(within), 0, -1))
        found |= {*islice((room for room in mirrored if room not in _OF_ROOMS and room.is_dir()), 1)}
        if {"page", "backends"} & {*within}:
            found |= {*Path("tests/page").glob("test_*.py")}
            named = [Path(f"tests/browser/test_{name}.py") for name in (*within[1:], file.stem)]
            found |= {journey for journey in named if journey.exists()} or {_MAIN_JOURNEY}
    return sorted({*_without_those_within(found), *_ALWAYS})


def _without_those_within(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if not set(path.parents) & {*paths}]


def _is_test(path: Path) -> bool:
    return path.parts[0] == "tests" and path.name.startswith("test_") and path.suffix == ".py"


def _module(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _path(module: str) -> Path:
    return Path(*module.split(".")).with_suffix(".py")
