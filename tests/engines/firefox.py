"""Firefox, driven by WebDriver BiDi without a driver program."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.engines.window import KEYS
from tests.timeouts import TIMEOUT

_SILENT = {
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "app.update.auto": False,
    "browser.aboutConfig.showWarning": False,
    "browser.discovery.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.newtabpage.activity-stream.feeds.system.topstories": False,
    "browser.newtabpage.activity-stream.feeds.topsites": False,
    "browser.region.network.url": "",
    "browser.region.update.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.search.update": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.topsites.contile.enabled": False,
    "captivedetect.canonicalURL": "",
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.push.connection.enabled": False,
    "dom.push.serverURL": "",
    "extensions.blocklist.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "extensions.update.enabled": False,
    "geo.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "media.gmp-manager.url": "",
    "messaging-system.rsexperimentloader.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.http.speculative-parallel-limit": 0,
    "network.predictor.enabled": False,
    "network.prefetch-next": False,
    "network.trr.mode": 5,
    "remote.active-protocols": 1,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "services.sync.enabled": False,
    "signon.management.page.breach-alerts.enabled": False,
    "telemetry.fog.init_on_shutdown": False,
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.unified": False,
    "toolkit.telemetry.server": "",
    "trailhead.firstrun.didSeeAboutWelcome": True,
}
"""Preferences against automatic connections to other hosts."""
_INTO_VIEW = """async (...values) => {
    const element = await (%s)(...values);
    element.scrollIntoView({ block: "nearest" });
    return element;
}"""
_LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def command() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = count(1)
        self.call("session.new", capabilities={})
        self._context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """The result of a protocol command.

        Raises:
            RuntimeError: Firefox refused it.
        """
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._connection.recv(timeout=2 * TIMEOUT))
            if told.get("id") == number:
                break
        if told["type"] == "error":
            raise RuntimeError(f"{method}: {told['error']}: {told['message']}")
        result: dict[str, Any] = told["result"]
        return result

    def go(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def reload(self) -> None:
        self.call("browsingContext.reload", context=self._context, wait="complete")

    def run(self, function: str, *values: object) -> Any:
        text = self._call_function(f"async (...values) => JSON.stringify(await ({function})(...values))", values)
        return json.loads(text["value"]) if "value" in text else None

    def click(self, function: str, *values: object) -> None:
        element = self._call_function(_INTO_VIEW % function, values)
        at = {"type": "element", "element": {"sharedId": element["sharedId"]}}
        pointer = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": at},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._perform({"type": "pointer", "id": "mouse", "actions": pointer})

    def press(self, keys: str) -> None:
        signs = [KEYS.get(key, key) for key in keys.split("+")]
        down = [{"type": "keyDown", "value": sign} for sign in signs]
        up = [{"type": "keyUp", "value": sign} for sign in reversed(signs)]
        self._perform({"type": "key", "id": "keyboard", "actions": [*down, *up]})

    def resize(self, width: int, height: int) -> None:
        self.call("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def _perform(self, source: dict[str, object]) -> None:
        self.call("input.performActions", context=self._context, actions=[source])

    def _call_function(self, function: str, values: tuple[object, ...]) -> dict[str, Any]:
        told = self.call(
            "script.callFunction",
            functionDeclaration=f"(given) => ({function})(...JSON.parse(given))",
            arguments=[{"type": "string", "value": json.dumps(values)}],
            awaitPromise=True,
            target={"context": self._context},
        )
        if told["type"] == "exception":
            raise RuntimeError(told["exceptionDetails"]["text"])
        result: dict[str, Any] = told["result"]
        return result


@contextmanager
def firefox(profile: Path) -> Iterator[Firefox]:
    """A window of a Firefox with a new profile in this folder."""
    preferences = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _SILENT.items()]
    (profile / "user.js").write_text("\n".join(preferences))
    path = command()
    assert path is not None
    started = [path, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    # Firefox ignores the profile's server of settings otherwise.
    own = {"HOME": str(profile), "MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_REMOTE_SETTINGS_DEVTOOLS": "1"}
    with subprocess.Popen(started, env={**os.environ, **own}, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            listens = next(found for line in process.stderr if (found := _LISTENS.search(line)))
            # A full pipe would block Firefox.
            Thread(target=process.stderr.read, daemon=True).start()
            with connect(f"{listens[1]}/session", max_size=None) as connection:
                yield Firefox(connection)
        finally:
            process.terminate()
