"""Which backend answers this person, and how it is asked."""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import urlsplit

import reflex as rx

from chat_ui.demo.answering import STARTER_QUESTIONS
from chat_ui.protocol.backend import Backend, parse_backend_url
from chat_ui.protocol.dialects import DIALECTS
from chat_ui.protocol.events import Json
from chat_ui.protocol.request import ChatRequest, Message
from chat_ui.state.service import client, default_backend_url, demo_url

AUTOMATIC: Final = "auto"
DIALECT_CHOICES: Final = ((AUTOMATIC, "Automatic"), *DIALECTS.items())


class BackendState(rx.State):
    """The saved settings, kept in this browser, and the dialog in which they are changed."""

    saved: str = rx.LocalStorage("", name="chat-ui-backend", sync=True)

    is_open: bool = False
    url: str = ""
    dialect: str = AUTOMATIC
    stream: bool = True
    followups: bool = True
    url_error: str = ""
    verdict: str = ""
    verdict_ok: bool = False
    testing: bool = False

    @rx.var(deps=["saved"], auto_deps=False)
    def label(self) -> str:
        """The backend in use, for the header."""
        url = str(self._chosen().get("url") or default_backend_url())
        return "Demo backend" if url == demo_url() else urlsplit(url).netloc

    @rx.var(deps=["saved"], auto_deps=False)
    def starters(self) -> list[str]:
        """Questions to begin with; only the demo backend's are known."""
        url = str(self._chosen().get("url") or default_backend_url())
        return list(STARTER_QUESTIONS) if url.startswith(demo_url().removesuffix("/chat")) else []

    @rx.event
    def open_dialog(self) -> None:
        """Show the saved settings for changing."""
        chosen = self._chosen()
        self.url = str(chosen.get("url") or default_backend_url())
        self.dialect = _known_dialect(chosen.get("dialect"))
        self.stream = chosen.get("stream") is not False
        self.followups = chosen.get("followups") is not False
        self.url_error = self.verdict = ""
        self.is_open = True

    @rx.event
    def set_open(self, is_open: bool) -> None:
        """Close the dialog, keeping what was saved before."""
        self.is_open = is_open

    @rx.event
    def set_url(self, url: str) -> None:
        """Take the typed address."""
        self.url = url
        self.url_error = self.verdict = ""

    @rx.event
    def set_dialect(self, dialect: str) -> None:
        """Take the chosen dialect."""
        self.dialect = dialect

    @rx.event
    def set_stream(self, stream: bool) -> None:
        """Take whether answers are streamed."""
        self.stream = stream

    @rx.event
    def set_followups(self, followups: bool) -> None:
        """Take whether follow-up questions are asked for."""
        self.followups = followups

    @rx.event
    def reset_to_default(self) -> None:
        """Put the operator's default into the dialog."""
        self.url = default_backend_url()
        self.dialect = AUTOMATIC
        self.stream = self.followups = True
        self.url_error = self.verdict = ""

    @rx.event
    def save(self) -> None:
        """Keep the settings and close, or say what is wrong with the address and keep nothing."""
        if not self._check_url():
            return
        self.saved = json.dumps(
            {"url": self.url, "dialect": self.dialect, "stream": self.stream, "followups": self.followups}
        )
        self.is_open = False

    @rx.event(background=True)
    async def test_connection(self) -> None:
        """Ask the backend one short question and say in plain words what is there."""
        async with self:
            if self.testing or not self._check_url():
                return
            self.testing = True
            self.verdict = ""
            backend = Backend(url=self.url, dialect=self.dialect, stream=self.stream)
        answer = await client.ask(backend, ChatRequest(messages=(Message("user", "Hello"),)))
        async with self:
            self.testing = False
            self.verdict_ok = answer.error is None and answer.complete
            if answer.error is not None:
                self.verdict = answer.error.message
            elif not answer.complete:
                self.verdict = "It answered, but the connection ended before the answer did."
            else:
                seconds = answer.timing.total or 0.0
                parts = [
                    f"{len(answer.data_points)} sources" if answer.data_points else "no sources",
                    f"{len(answer.thoughts)} thoughts" if answer.thoughts else "no thoughts",
                ]
                self.verdict = (
                    f"A chat backend answered in {seconds:.1f} s, in dialect “{answer.dialect}”, "
                    f"with {' and '.join(parts)}."
                )

    def backend(self) -> Backend:
        """The backend to ask."""
        chosen = self._chosen()
        return Backend(
            url=str(chosen.get("url") or default_backend_url()),
            dialect=_known_dialect(chosen.get("dialect")),
            stream=chosen.get("stream") is not False,
        )

    def overrides(self) -> dict[str, Json]:
        """The settings that travel with each question."""
        return {"suggest_followup_questions": self._chosen().get("followups") is not False}

    def _chosen(self) -> dict[str, Json]:
        """What was saved, as far as it can be used: the browser's storage may hold anything."""
        try:
            chosen = json.loads(self.saved or "{}")
            parse_backend_url(chosen.get("url") or default_backend_url())
        except (ValueError, AttributeError, TypeError):
            return {}
        return chosen

    def _check_url(self) -> bool:
        try:
            self.url = parse_backend_url(self.url)
        except ValueError as problem:
            self.url_error = str(problem)
            return False
        self.url_error = ""
        return True


def _known_dialect(name: Json) -> str:
    return name if isinstance(name, str) and name in DIALECTS else AUTOMATIC
