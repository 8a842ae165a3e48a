"""A client of a backend over HTTP that reads an answer object by object."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2


@dataclass
class Heard:
    """An answer: its status, headers and objects, and the end of its body."""

    status: int
    headers: httpx2.Headers
    objects: list[dict[str, Any]] = field(default_factory=list)
    rest: str = ""
    broken: bool = False


def ask(url: str, question: str, **body: Any) -> Heard:
    """POST a question (or `messages=`), and read the whole body."""
    body.setdefault("messages", [{"role": "user", "content": question}])
    with (
        httpx2.Client(timeout=60, trust_env=False, verify=False) as client,
        client.stream("POST", url, json=body) as response,
    ):
        heard = Heard(response.status_code, response.headers)
        data = b""
        try:
            for chunk in response.iter_raw():
                data += chunk
        except httpx2.RemoteProtocolError:
            heard.broken = True
    *lines, heard.rest = data.decode().split("\n")
    if not response.headers["content-type"].startswith("application/json-lines") and not lines:
        lines, heard.rest = [heard.rest], ""
    heard.objects = [json.loads(line) for line in lines if line]
    return heard
