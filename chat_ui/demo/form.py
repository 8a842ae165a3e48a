"""A request with files, as the protocol's TypeSpec sends it: a form with a part `json` and a part for each file."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Final, NamedTuple

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

_FILE_NAME: Final = re.compile(r"messages\[\d+\]\.files\[\d+\]")
_UNNAMED_FILE: Final = re.compile(
    rb"^(Content-Disposition:[ \t]*form-data;[ \t]*name=(?P<quote>\"?)(messages\[\d+\]\.files\[\d+\])(?P=quote))"
    rb"(?=[ \t]*\r\n)",
    re.IGNORECASE | re.MULTILINE,
)
"""The head of a file's part without `filename`, as the protocol's official client sends a `Blob` and a stream."""


class FormError(ValueError):
    """A body that is no such form; the words are for the sender."""


class Form(NamedTuple):
    """The text of the part `json`, and the name, the media type and the size in bytes of each file."""

    json: str
    files: tuple[tuple[str, str, int], ...]


async def read_form(headers: Headers, body: bytes) -> Form:
    """The form in `body`, whose boundary `headers` name.

    Raises:
        FormError: it cannot be read, holds no part `json`, or a part that is neither that nor a file of a message.
    """
    # Without a `filename`, the parser takes a part for text.
    named = _UNNAMED_FILE.sub(rb'\1; filename="\3"', body)

    async def whole() -> AsyncGenerator[bytes, None]:
        yield named

    try:
        form = await MultiPartParser(headers, whole(), max_part_size=max(1, len(named))).parse()
    except (MultiPartException, KeyError, UnicodeDecodeError) as error:
        raise FormError("The form cannot be read.") from error
    text: str | None = None
    files: list[tuple[str, str, int]] = []
    for name, part in form.multi_items():
        if name == "json":
            text = part if isinstance(part, str) else (await part.read()).decode("utf-8", "replace")
        elif isinstance(part, UploadFile) and _FILE_NAME.fullmatch(name):
            files.append((part.filename or name, part.content_type or "", part.size or 0))
        else:
            raise FormError(f"The form holds a part “{name[:80]}”; files are named messages[0].files[0].")
    await form.close()
    if text is None:
        raise FormError("The form holds no part “json”.")
    return Form(text, tuple(files))
