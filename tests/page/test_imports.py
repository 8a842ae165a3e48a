"""How scripts load the scripts that are needed later."""

import re

from tests.app import ROOT

_CHAINED = re.compile(r'(?<!\{)\bimport\("[^"]+"\)\s*\.')


def test_nothing_is_chained_to_an_import():
    # The build would put the loading of stylesheets around the whole chain, whose failure nothing in it could handle.
    scripts = (ROOT / "chat_ui").rglob("*.js*")
    code = {file: re.sub(r"^\s*(?://|/?\*).*$", "", file.read_text("utf-8"), flags=re.MULTILINE) for file in scripts}
    assert [file.name for file, text in code.items() if _CHAINED.search(text)] == []
    assert sum("import(" in text for text in code.values()) >= 9
