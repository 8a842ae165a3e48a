"""The page uses the address at which it was opened, although Reflex builds one port into it."""

import re
from pathlib import Path

from chat_ui.server.built_page import with_own_address

ABSOLUTE = re.compile(r"\b(?:http|ws)s?://")


def test_addresses_of_the_build_become_the_pages_origin():
    script = 'e={PING:"http://localhost:3000/ping",EVENT:`ws://localhost:3000/_event`,OTHER:"/kept"};'
    assert with_own_address(script) == (
        'e={PING:location.origin+"/ping",EVENT:location.origin.replace("http","ws")+"/_event",OTHER:"/kept"};'
    )


def test_the_built_page_has_no_address_of_its_build(built_app: Path):
    script, *_ = built_app.rglob("reflex-env-*.js")
    served = with_own_address(script.read_text())
    assert not ABSOLUTE.search(served)
    assert "location.origin" in served
