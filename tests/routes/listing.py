"""A person's conversations, over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from chat_ui.conversations.archive.archive import FORMAT, VERSION

API = "/api/conversations/"


@contextmanager
def person(whole_url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=whole_url, verify=False, timeout=60) as client:
        client.get("/")
        yield client


def talk(title: str, moment: float, text: str = "Red.") -> dict[str, object]:
    answer = {"status": "finished", "answer": {"text": text}}
    turns = [{"id": "a", "parent": None, "question": f"What about {title}?", "answers": [answer]}]
    return {"title": title, "created_at": moment, "updated_at": moment, "turns": turns}


def put(client: httpx2.Client, *talks: dict[str, object]) -> None:
    answer = client.post(f"{API}import", json={"format": FORMAT, "version": VERSION, "conversations": talks})
    assert answer.json() == {"imported": len(talks), "refused": 0, "refusals": []}


def listed(client: httpx2.Client, **query: str) -> list[dict[str, object]]:
    return client.get(API, params=query).json()["conversations"]
