"""Asks a backend over HTTP as a client would, and reads what comes back object by object."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2


@dataclass
class Heard:
    """One answer: the status, headers and objects that came, and how the body ended."""

    status: int
    headers: httpx2.Headers
    objects: list[dict[str, Any]] = field(default_factory=list)
    rest: str = ""
    broken: bool = False


def ask(url: str, question: str, **body: Any) -> Heard:
    """POST a question (with `messages=`, those instead) and read the whole body."""
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
