"""The text of an answer of the paced backend, piece by piece, as a program of ten lines reads it."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator

import httpx


def pieces(question: str) -> Iterator[str]:
    with httpx.stream("POST", _url(), json=_body(question), timeout=300, trust_env=False) as response:
        for line in response.iter_lines():
            if text := _text(line):
                yield text


async def pieces_async(question: str) -> AsyncIterator[str]:
    async with (
        httpx.AsyncClient(timeout=300, trust_env=False) as client,
        client.stream("POST", _url(), json=_body(question)) as response,
    ):
        async for line in response.aiter_lines():
            if text := _text(line):
                yield text


def _url() -> str:
    return os.environ["PACED_BACKEND"] + "/stream"


def _body(question: str) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": question}]}


def _text(line: str) -> str:
    return str(json.loads(line)["delta"].get("content", "")) if line else ""
