"""The environment variables of Reflex without an equivalent argument. Some of them are internal.

Reflex's variables are named only here; `tests/server/test_reflex_environment.py` fails where a version changes them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from chat_ui.errors import NoPageError

_PACKAGE: Final = Path(__file__).parents[1]
_PAGE: Final = Path(".web", "build", "client", "index.html")


def prepare() -> None:
    """Set the variables for any way to run the app. Import Reflex after this."""
    # Reflex looks for `bun` on PATH; the wheel puts it beside the interpreter, which need not be on PATH.
    os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    # Reflex needs a home when it is imported, though it keeps nothing there; a user in a container may lack one.
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep
    # A question of the greatest length must fit into one message of the socket.
    os.environ.setdefault("REFLEX_SOCKET_MAX_HTTP_BUFFER_SIZE", "4000000")
    # The version is pinned: a start must not ask for a newer one.
    os.environ.setdefault("REFLEX_CHECK_LATEST_VERSION", "false")
    # An idle open page costs little but its pings. Many proxies close connections after a silent minute.
    os.environ.setdefault("REFLEX_SOCKET_INTERVAL", "45s")


def serve_built(host: str, port: int) -> None:
    """Have the app serve the built page, at this host and port, and write nothing.

    Reflex reads its configuration from the working directory, so that becomes the folder of the build.

    Raises:
        NoPageError: the built page is missing.
    """
    prepare()
    os.chdir(_built())
    os.environ |= {
        "REFLEX_ENV_MODE": "prod",
        "REFLEX_BACKEND_HOST": host,
        "REFLEX_BACKEND_PORT": str(port),
        "REFLEX_BACKEND_ONLY": "true",
        "__REFLEX_SKIP_COMPILE": "true",
        "__REFLEX_MOUNT_FRONTEND_COMPILED_APP": "true",
    }


def _built() -> Path:
    """The folder with `rxconfig.py` and the built page: in the wheel, else the checkout."""
    for folder in (_PACKAGE / "built", _PACKAGE.parent):
        if (folder / _PAGE).is_file():
            return folder
    raise NoPageError(
        "The page is not built yet. In a checkout, `.venv/bin/reflex run --env prod` builds and serves it; a wheel of "
        "chat-ui has it inside."
    )
