import ast
import inspect
import subprocess
import sys

import pytest

from chat_ui import protocol
from chat_ui.protocol.transport.client import AsyncClient


def test_a_public_name_is_that_of_its_module():
    assert protocol.AsyncClient is AsyncClient
    for name in protocol.__all__:
        assert getattr(protocol, name) is not None
    assert dir(protocol) == sorted(protocol.__all__)


def test_type_checkers_see_exactly_the_public_names():
    tree = ast.parse(inspect.getsource(protocol))
    block = next(one for one in tree.body if isinstance(one, ast.If))
    imported = [alias.name for one in block.body if isinstance(one, ast.ImportFrom) for alias in one.names]
    assert sorted(imported) == sorted(protocol.__all__)

    with pytest.raises(AttributeError, match="Clint"):
        protocol.Clint  # noqa: B018


def test_importing_the_events_loads_no_http_client():
    loaded = "import sys, chat_ui.protocol, chat_ui.protocol.events; print('httpx2' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
