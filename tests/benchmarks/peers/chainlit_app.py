"""The chat of Chainlit's own guide to streaming."""

from __future__ import annotations

import chainlit as cl
from backend_text import pieces_async


@cl.on_message
async def answer(message: cl.Message) -> None:
    reply = cl.Message(content="")
    async for piece in pieces_async(message.content):
        await reply.stream_token(piece)
    await reply.send()
