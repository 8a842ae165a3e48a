"""The citations of Strands' agents, in the metadata of a message."""

from __future__ import annotations

from collections.abc import Mapping

from chat_ui.protocol.dialects.contents import content_text
from chat_ui.protocol.dialects.families.ag_ui.thread import id_in
from chat_ui.protocol.events import Json, JsonObject


def cited_source(citation: JsonObject) -> JsonObject:
    """The source that a citation names, called by its address, or else by its title."""
    location = citation.get("location")
    url = location.get("url") if isinstance(location, Mapping) else None
    passages = citation.get("sourceContent")
    title, source = (id_in(citation, key) for key in ("title", "source"))
    return {
        "id": url if isinstance(url, str) and url else title or source,
        "title": title or source,
        "content": content_text(passages if isinstance(passages, list) else None),
        "url": url if isinstance(url, str) else None,
    }


def characters_in(text: str, units: Json) -> int:
    """How many characters so many UTF-16 code units of a text are."""
    if not isinstance(units, int) or isinstance(units, bool):
        return len(text)
    units = max(0, min(units, 2 * len(text)))
    if text.isascii():
        return units
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))
