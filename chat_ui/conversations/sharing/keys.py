"""Keys in Redis that several modules use."""

from __future__ import annotations


def alive(generation_id: str) -> str:
    """The key that is there while the process that runs a generation gives signs of life."""
    return f"chat-ui:alive:{generation_id}"


def answering(owner: str) -> str:
    """The key of the set of generations that run for a person, those included that just died."""
    return f"chat-ui:answering:{owner}"
