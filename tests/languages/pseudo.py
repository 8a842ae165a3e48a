"""A pseudo language: English made 40 % longer, so that clipped and untranslated texts show.

Each message is its English with a filling behind it, so that a test still finds it by its English beginning. The
catalogue has the name of Australian English, which has the plurals and numbers of English.
"""

from pathlib import Path
from typing import Final

from babel.messages import Catalog

from tools.languages.__main__ import written
from tools.languages.extraction import new_catalogue

NAME: Final = "en_AU"
FILLING: Final = "ø"
_LONGER: Final = 0.4
_WORD: Final = 7


def longer(message: str) -> str:
    """A message with its filling: the end of its last word, then words of a usual length."""
    missing = max(1, round(_LONGER * len(message)))
    return message + " ".join(FILLING * min(_WORD, missing - start) for start in range(0, missing, _WORD))


def pseudo_catalogue() -> Catalog:
    """Every message of the code in the pseudo language."""
    catalogue = new_catalogue(NAME)
    for message in catalogue:
        if message.id:
            message.string = longer(message.id) if isinstance(message.id, str) else tuple(map(longer, message.id))
    return catalogue


def write_pseudo(folder: Path) -> Path:
    """Write the catalogue into a folder, and return the folder."""
    (folder / f"{NAME}.po").write_bytes(written(pseudo_catalogue()))
    return folder
