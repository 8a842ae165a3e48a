import re

from tests.app import ROOT

_CHAINED = re.compile(r'(?<!\{)\bimport\("[^"]+"\)\s*\.')


def test_dynamic_imports_have_no_chained_calls():
    # The build wraps a chain in the loading of stylesheets, whose failure the chain could not handle.
    scripts = (ROOT / "chat_ui").rglob("*.js*")
    code = {file: re.sub(r"^\s*(?://|/?\*).*$", "", file.read_text("utf-8"), flags=re.MULTILINE) for file in scripts}
    assert [file.name for file, text in code.items() if _CHAINED.search(text)] == []
    assert sum("import(" in text for text in code.values()) >= 9
