"""WebKitGTK, driven by WebDriver, on a virtual screen."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from tests.engines.window import KEYS
from tests.timeouts import TIMEOUT

_CALL = """
const done = arguments[arguments.length - 1];
(async () => %s)().then((value) => done({ value }), (error) => done({ error: String(error) }));
"""


def command() -> str | None:
    """The path of the driver and a virtual screen, where available."""
    return shutil.which("WebKitWebDriver") if shutil.which("Xvfb") else None


class WebKit:
    """A window of WebKitGTK's minimal browser."""

    def __init__(self, driver: webdriver.WebKitGTK) -> None:
        self._driver = driver
        driver.set_script_timeout(2 * TIMEOUT)

    def go(self, address: str) -> None:
        self._driver.get(address)

    def reload(self) -> None:
        self._driver.refresh()

    def run(self, function: str, *values: object) -> Any:
        return self._call(function, values)

    def click(self, function: str, *values: object) -> None:
        self._call(function, values).click()

    def press(self, keys: str) -> None:
        signs = [KEYS.get(key, key) for key in keys.split("+")]
        acting = ActionChains(self._driver, duration=0)
        for sign in signs:
            acting.key_down(sign) if sign in KEYS.values() else acting.send_keys(sign)
        for sign in reversed(signs):
            if sign in KEYS.values():
                acting.key_up(sign)
        acting.perform()

    def resize(self, width: int, height: int) -> None:
        outer = self._driver.execute_script("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self._driver.set_window_size(width + outer[0], height + outer[1])

    def _call(self, function: str, values: tuple[object, ...]) -> Any:
        told = self._driver.execute_async_script(_CALL % f"({function})(...{json.dumps(values)})")
        if "error" in told:
            raise RuntimeError(told["error"])
        return told.get("value")


@contextmanager
def _screen() -> Iterator[str]:
    """The name of a virtual screen."""
    started = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x1100x24", "-nolisten", "tcp"]
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield f":{process.stdout.readline().strip()}"
        finally:
            process.terminate()


@contextmanager
def webkit(folder: Path) -> Iterator[WebKit]:
    """A window of a WebKitGTK with its profile in this folder."""
    with _screen() as screen:
        own = {"DISPLAY": screen, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "GDK_BACKEND": "x11"}
        service = Service(executable_path=command(), env={**os.environ, **own})
        driver = webdriver.WebKitGTK(options=Options(), service=service)
        try:
            yield WebKit(driver)
        finally:
            driver.quit()
