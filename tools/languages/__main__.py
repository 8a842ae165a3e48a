"""Updates the catalogues from the code: `python -m tools.languages`, or `python -m tools.languages nl` for a new one.

New messages are empty until translated; unused messages are removed.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages import Catalog
from babel.messages.pofile import read_po, write_po

from tools.languages.extraction import ROOT, new_catalogue, template

FOLDER: Final = ROOT / "chat_ui" / "languages"


def written(catalogue: Catalog) -> bytes:
    """The file's content, sorted by message for small diffs."""
    output = BytesIO()
    write_po(output, catalogue, width=0, sort_output=True, ignore_obsolete=True, no_location=True)
    return output.getvalue()


def updated(file: Path) -> bytes:
    """The catalogue of a file, with the current messages of the code."""
    catalogue = read_po(BytesIO(file.read_bytes()), locale=file.stem)
    dates = catalogue.creation_date, catalogue.revision_date
    catalogue.update(template(), no_fuzzy_matching=True, update_header_comment=False, update_creation_date=False)
    catalogue.creation_date, catalogue.revision_date = dates
    return written(catalogue)


def main(names: list[str]) -> None:
    for file in (FOLDER / f"{name}.po" for name in names):
        if not file.exists():
            file.write_bytes(written(new_catalogue(file.stem)))
    for file in sorted(FOLDER.glob("*.po")):
        file.write_bytes(updated(file))
        messages = [message for message in read_po(BytesIO(file.read_bytes()), locale=file.stem) if message.id]
        forms = [[one.string] if isinstance(one.string, str) else one.string for one in messages]
        left = sum(not all(said) for said in forms)
        print(f"{file.name}: {left or 'nothing'} to translate")


if __name__ == "__main__":
    main(sys.argv[1:])
