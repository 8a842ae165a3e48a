"""The chat of Reflex's own tutorial, against the paced backend."""

import os
import sys
from pathlib import Path

os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))

import reflex as rx

config = rx.Config(
    app_name="tutorial",
    backend_host="127.0.0.1",
    telemetry_enabled=False,
    plugins=[rx.plugins.RadixThemesPlugin()],
    disable_plugins=[rx.plugins.SitemapPlugin],
)
