"""A language that says everything in guillemets, for tests of what is said at all."""

from __future__ import annotations

from chat_ui.languages.language import Language, Sayings


class _Marked(dict[str, tuple[str, ...]]):
    def get(self, message: str, default: object = None) -> tuple[str, ...]:  # type: ignore[override]
        return (f"«{message}»",)


class _MarkedLanguage(Language):
    sayings = Sayings(_Marked(), {"one": 0, "other": 0}, frozenset(), frozenset(), 0)


MARKED = _MarkedLanguage("eo", None)
"""What has a message is said in it as `«message»`, and of every count as of one."""
