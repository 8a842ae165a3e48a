"""A lint for texts of the page that are not messages, by the look of words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.jslexer import tokenize

from chat_ui.languages.messages import KEYWORDS
from tools.languages.extraction import ROOT

SPEAKS_ENGLISH = (
    "__main__.py", "backends/operator_profiles.py", "backends/options.py", "backends/profile.py", "chat_ui.py",
    "command_line/", "conversations/redis_connection.py", "conversations/store/conversation_list.py",
    "conversations/store/database.py", "conversations/store/migrations/", "features/branding/",
    "features/checking/check.py", "features/checking/report.py", "features/demo/", "features/evaluation/",
    "features/feedback/feedback_export.py", "features/presenting/rehearsal.py", "features/presenting/rehearse.py",
    "features/recordings/", "features/signing_in/errors.py", "features/signing_in/id_token.py",
    "features/signing_in/provider.py", "features/signing_in/settings.py", "features/signing_in/sign_in_flow.py",
    "features/telemetry/", "languages/", "page/state/page_events.py", "protocol/conformance/",
    "protocol/detection/question.py", "protocol/detection/requests.py", "protocol/dialects/answer_text.py",
    "protocol/dialects/contexts.py", "protocol/dialects/families/", "protocol/dialects/objects.py",
    "protocol/dialects/reader.py", "protocol/dialects/registry.py", "protocol/dialects/standards.py",
    "protocol/reading/", "protocol/recordings/", "protocol/transport/answer_body.py",
    "protocol/transport/certificates.py",
    "protocol/transport/exchange.py", "protocol/transport/guard.py", "protocol/transport/http_errors.py",
    "server/logs.py", "server/processes/", "server/services.py", "settings.py",
)  # fmt: skip
"""Files with texts for operators, builders of backends, logs or programs. The demo is a backend, and the words of the
branding have a separate test.
"""
NO_WORDS = frozenset(
    {
        "Extra data", "This server is stopping. Try again in a moment.", "the database has made no progress for {} s",
        "an earlier question is not there any more",
        "a conversation that was in use is not in the database any more",
        "Expecting a name", "nothing was asked yet", "a question needs words", "no ping was answered",
        "the database is not connected", "unexpected {}", "nothing is kept", "certificate of {}",
        "Bearer {}", "POST {}: {}", "{} is not a dialect. Use one of: auto, {}.", "{} is not a file",
        "restore a backup, or delete it and let users enter their keys again",
        "Not found", "Options of {}", "outcome of {}", "main main-empty", "verdict", "callout callout-error",
    }
)  # fmt: skip
"""Calls with texts for programs: programming errors, protocols, codes and names."""
UNSEEN = {
    "Field", "note", "compile", "create_task", "run", "log_refusal", "Error", "RuntimeError", "AttributeError",
    "LookupError",
}  # fmt: skip
_IN_TAGS = re.compile(r"<[^<>]*>|&\w+;")
_ATTRIBUTE = re.compile(r"(?:aria-label|title|alt|placeholder)=\"([^\"{]*[A-Za-z]{2,}[^\"]*)\"")
_SENTENCE = re.compile(r"[A-Z“][\w’']*,? (?:[\w“”’'{}-]+,? )*[a-z{][\w”’'}-]*(?:[.!?…:]|$)")
_FRAGMENT = re.compile(r"\b(?:the|a|an|of|to|is|was|not|no|in|with|from|at)\b")
_ENGLISH = re.compile(r"[A-Za-z’'{},.\s“”–…:!?()-]+")
_LONGEST = 40
"""The most words of a literal. A longer one is a list of words."""
_LABELS = frozenset({"aria_label", "title", "placeholder", "label", "alt", "legend", "help_text", "help"})


def _words(text: str) -> bool:
    """Whether a literal has words for a person, in the text of its HTML or in an attribute that is read out."""
    if text in NO_WORDS or len(text.split()) > _LONGEST:
        return False
    if _ATTRIBUTE.search(text):
        return True
    shown = " ".join(_IN_TAGS.sub(" ", text).split())
    is_fragment = len(shown.split()) > 2 and shown.islower() and _FRAGMENT.search(shown)
    return bool(_ENGLISH.fullmatch(shown) and (_SENTENCE.search(shown) or is_fragment))


class _Literals(ast.NodeVisitor):
    """Untranslated literals of a module, with their lines and words."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        owner = getattr(getattr(function, "value", None), "id", "")
        if (owner == "rx" and name not in ("icon", "cond", "match", "SessionStorage")) or getattr(
            getattr(function, "value", None), "attr", ""
        ) == "el":
            named = [keyword.value for keyword in node.keywords if keyword.arg in _LABELS]
            for value in [*node.args, *named]:
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and re.search("[a-z]", value.value):
                    self.found.append((node.lineno, value.value))
        if name not in KEYWORDS and name not in UNSEEN and owner != "logger":
            self.generic_visit(node)
        for value in [*node.args, *(keyword.value for keyword in node.keywords)] if name in KEYWORDS else ():
            if not isinstance(value, ast.Constant):
                self.visit(value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        self._note(node, text)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._note(node, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def _note(self, node: ast.expr, text: str) -> None:
        if _words(text):
            self.found.append((node.lineno, text))


def _of_python(file: Path) -> Iterator[tuple[int, str]]:
    literals = _Literals()
    literals.visit(ast.parse(file.read_text(encoding="utf-8")))
    yield from literals.found


def _of_script(file: Path) -> Iterator[tuple[int, str]]:
    """Strings outside of message calls, and bare JSX text, which the lexer takes for names."""
    code = file.read_text(encoding="utf-8")
    calls: list[bool] = []
    last = ""
    for token in tokenize(code, jsx=True):
        if token.type == "operator" and token.value == "(":
            calls.append(last in KEYWORDS or last in UNSEEN)
        elif token.type == "operator" and token.value == ")" and calls:
            calls.pop()
        elif token.type in ("string", "template_string") and not any(calls):
            text = re.sub(r"\$\{[^}]*\}", "{}", token.value[1:-1])
            if _words(text):
                yield token.lineno, text
        if token.type not in ("linecomment", "multilinecomment"):
            last = token.value
    for found in _BARE.finditer(re.sub(r"^\s*(?://|/?\*).*$", "", code, flags=re.MULTILINE)):
        yield 0, found[1] or found[2]


_BARE = re.compile(
    r"(?:^|>)\s*([A-Z][a-z]+(?: [A-Za-z’',-]+)*[.…]?)\s*(?:<|\{|$)"
    r"|(?:aria-label|title|placeholder|alt|label|legend|help)=\"([^\"]*[a-z][^\"]*)\"",
    re.MULTILINE,
)
"""Texts of elements, and attributes that are read out, outside of message calls."""


def test_every_text_for_a_person_is_a_message():
    package = ROOT / "chat_ui"
    found = []
    for file in sorted(package.glob("*/**/*")):
        name = file.relative_to(package).as_posix()
        is_english = (name.startswith(SPEAKS_ENGLISH) and "/page/" not in name) or file.name == "feature.py"
        if file.suffix not in (".py", ".js", ".jsx") or is_english:
            continue
        literals = _of_python(file) if file.suffix == ".py" else _of_script(file)
        found += [f"{name}:{line}: {' '.join(text.split())[:100]}" for line, text in literals]
    assert found == []
