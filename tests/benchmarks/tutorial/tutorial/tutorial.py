"""Each token is added to the text in state, and state is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator

import reflex as rx
from backend_text import pieces_async


class Chat(rx.State):
    question: str = ""
    turns: list[tuple[str, str]] = []

    @rx.event
    def set_question(self, question: str) -> None:
        self.question = question

    @rx.event
    async def answer(self) -> AsyncIterator[None]:
        question = self.question
        self.turns.append((question, ""))
        self.question = ""
        yield
        text = ""
        async for piece in pieces_async(question):
            text += piece
            self.turns[-1] = (question, text)
            yield


def index() -> rx.Component:
    return rx.container(
        rx.foreach(Chat.turns, lambda turn: rx.box(rx.text(turn[0]), rx.markdown(turn[1]))),
        rx.input(value=Chat.question, on_change=Chat.set_question, aria_label="Message"),
        rx.button("Ask", on_click=Chat.answer),
    )


app = rx.App()
app.add_page(index, route="/")
