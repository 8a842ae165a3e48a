"""A page that follows an answer which grows, as its frames tell it."""

import json

import httpx2

from tests.rendering.growing import ShownBlocks


class Follower(ShownBlocks):
    """A page that follows: the blocks that the entries of the frames make."""

    def __init__(self) -> None:
        super().__init__()
        self.last_id = ""
        self.ended = False
        self.languages: list[str] = []
        self.sizes: list[int] = []

    @property
    def frame(self) -> int:
        """The number of the newest frame."""
        return int(self.last_id.rpartition(".")[2])

    async def read(self, address: str, frames: int | None = None) -> None:
        """Follow to the end, or for so many frames more."""
        headers = {"Last-Event-ID": self.last_id} if self.last_id else {}
        async with (
            httpx2.AsyncClient(timeout=60, verify=False) as client,
            client.stream("GET", address, headers=headers) as response,
        ):
            event = ""
            async for line in response.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    self.last_id = value
                elif name == "event":
                    event = value
                    self.ended = value == "end"
                elif not line:
                    event = ""
                elif name == "data" and event == "language":
                    self.languages.append(value)
                elif name == "data" and value and not self.ended:
                    self.sizes.append(len(line))
                    self.take(json.loads(value))
                    if frames and len(self.sizes) == frames:
                        return
