"""A rendered answer as it is kept and sent: bytes, made in its rendering process.

Code of such a process is here and in modules without a server, so that it takes little memory and starts fast.
"""

from __future__ import annotations

import hashlib
import pickle
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer, answer_as_text, render_answer
from chat_ui.rendering.claim_check import checked
from chat_ui.rendering.resources import document_parts

Result = TypeVar("Result")

_FAST: Final = 1


@dataclass(frozen=True, slots=True)
class Body:
    """A body to send, encoded by its process, and its validator."""

    content: bytes
    etag: str

    @classmethod
    def of(cls, text: str) -> Body:
        """The body of `text`."""
        return cls.of_bytes(text.encode("utf-8", "replace"))

    @classmethod
    def of_bytes(cls, content: bytes) -> Body:
        """The body of these bytes."""
        return cls(content, f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"')


@dataclass(frozen=True, slots=True)
class Packed:
    """A rendered answer, pickled, and the parts of its document, counted from the end, as UTF-8; all compressed."""

    rendered: bytes
    parts: tuple[bytes, ...]

    @classmethod
    def of(cls, rendered: RenderedAnswer) -> Packed:
        """The packed rendering."""
        parts = (part.encode("utf-8", "replace") for part in document_parts(rendered))
        return cls(_pickled(rendered), tuple(zlib.compress(part, _FAST) for part in parts))

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.rendered) + sum(map(len, self.parts))

    def part(self, number: int) -> Body:
        """The part of this number."""
        return Body.of_bytes(zlib.decompress(self.parts[number]))


def _pickled(rendered: RenderedAnswer) -> bytes:
    return zlib.compress(pickle.dumps(rendered), _FAST)


def packed(answer: Answer) -> Packed:
    """An answer rendered and packed."""
    return Packed.of(render_answer(answer.text, answer.data_points, answer.citations))


def packed_with_checks(rendered: bytes, answer: Answer) -> Packed:
    """A packed rendering of an answer, with checks of its claims. Its document has no marks for them."""
    return Packed(_pickled(made_of(rendered, checked, answer)), ())


def packed_as_text(text: str) -> Packed:
    """The text of an answer that cannot be rendered, packed."""
    return Packed.of(answer_as_text(text))


def made_of(rendered: bytes, function: Callable[[Answer, RenderedAnswer], Result], answer: Answer) -> Result:
    """The result of `function` for an answer, and its packed rendering."""
    return function(answer, pickle.loads(zlib.decompress(rendered)))  # noqa: S301 - made by `Packed`


def body(function: Callable[[Answer, RenderedAnswer], str], answer: Answer, rendered: RenderedAnswer) -> Body:
    """The body of the text that `function` makes of an answer and its rendering."""
    return Body.of(function(answer, rendered))
