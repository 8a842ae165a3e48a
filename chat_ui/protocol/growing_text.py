"""Text that only grows."""

from __future__ import annotations


class GrowingText:
    """Text in pieces, joined when it is asked for."""

    __slots__ = ("_pieces", "length")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.length = 0

    def append(self, text: str) -> None:
        """Put `text` after what there is."""
        self._pieces.append(text)
        self.length += len(text)

    def whole(self) -> str:
        """All of it."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""


class TextSoFar:
    """Text from a place where some backends send increments and others the whole text so far (the Azure sample app)."""

    def __init__(self) -> None:
        self._so_far = GrowingText()
        self._repeats_whole = False

    def increment(self, text: str) -> str:
        """What `text` adds: a text that begins with the one so far and is longer stands in its place."""
        so_far = self._so_far
        if len(text) > so_far.length > 0 and text.startswith(so_far.whole()):
            text = text[so_far.length :]
            self._repeats_whole = True
        elif self._repeats_whole and len(text) == so_far.length and text == so_far.whole():
            return ""
        so_far.append(text)
        return text
