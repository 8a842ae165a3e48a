"""The chat of Gradio's own guide."""

from __future__ import annotations

import os
from collections.abc import Iterator

import gradio as gr
from backend_text import pieces


def answer(question: str, _history: list[object]) -> Iterator[str]:
    text = ""
    for piece in pieces(question):
        text += piece
        yield text


gr.ChatInterface(answer).launch(server_name="127.0.0.1", server_port=int(os.environ["PORT"]))
