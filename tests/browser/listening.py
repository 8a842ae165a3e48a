"""The messages between a page and its server, which a test can hold or lose."""

import re

from playwright.sync_api import Page, Route, WebSocketRoute

from tests.browser.opening import reload

NOTHING = re.compile("(?!)")


class Socket:
    """The connections of a page from its next load on."""

    def __init__(self, page: Page) -> None:
        self._loses = NOTHING
        self._holds = False
        self._held: list[tuple[WebSocketRoute, str | bytes]] = []
        self._open: WebSocketRoute | None = None
        self._refuses = False
        page.route_web_socket(re.compile("/_event"), self._carry)

    def lose_said(self, what: str = "") -> None:
        """Lose further messages of the page that contain `what`."""
        self._loses = re.compile(re.escape(what))

    def hold_told(self) -> None:
        """Hold further messages of the server."""
        self._holds = True

    def forget(self) -> None:
        """Drop held messages, and pass on further ones."""
        self._held.clear()
        self.let_go()

    def let_go(self) -> None:
        """Deliver held messages, and pass on further ones."""
        self._loses, self._holds = NOTHING, False
        for page, told in self._held:
            page.send(told)
        self._held.clear()

    def break_off(self) -> None:
        """End the connection for the page only."""
        assert self._open is not None, "nothing was connected"
        self._open.on_close(lambda _code, _reason: None)
        self._open.close(code=3000)

    def refuse(self) -> None:
        """End the connection, and refuse further ones."""
        self._refuses = True
        self.break_off()

    def accept(self) -> None:
        """Accept connections again."""
        self._refuses = False

    def _carry(self, page: WebSocketRoute) -> None:
        if self._refuses:
            page.close(code=3000)
            return
        self._open = page
        server = page.connect_to_server()

        def say(said: str | bytes) -> None:
            if not self._loses.search(str(said)):
                server.send(said)

        def tell(told: str | bytes) -> None:
            if self._holds:
                self._held.append((page, told))
            else:
                page.send(told)

        page.on_message(say)
        server.on_message(tell)


def listening(page: Page) -> Socket:
    """Reload the page, and intercept its messages."""
    socket = Socket(page)
    reload(page)
    return socket


def held_requests(page: Page, address: str | re.Pattern[str]) -> list[Route]:
    """A growing list of the held requests to this address."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(address, hold)
    return held
