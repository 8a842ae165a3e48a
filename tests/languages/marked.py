"""Languages that mark every translated message."""

from chat_ui.languages.language import Language, Translations


class _Marked(dict[str, tuple[str, ...]]):
    def __init__(self, signs: str) -> None:
        super().__init__()
        self._signs = signs

    def get(self, message: str, default: object = None) -> tuple[str, ...]:  # type: ignore[override]
        return (self._signs.format(message),)


class _InGuillemets(Language):
    translations = Translations(_Marked("«{}»"), {"one": 0, "other": 0})


class _AsMarkup(Language):
    translations = Translations(_Marked('<q x="{}">'), {"one": 0, "other": 0})


MARKED = _InGuillemets("eo", None)
"""A language with each message as `«message»`, and the singular for every count."""
AS_MARKUP = _AsMarkup("eo", None)
"""A language with each message as `<q x="message">`."""
