"""A question of a page that was idle, behind a proxy that signs people in."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2

from tests.page.state.pages import ask, open_pages, saying
from tests.page_socket import page_socket

SETTINGS: dict[str, Any] = {
    "trusted_proxies": ("127.0.0.1",),
    "identity_header": "X-MS-CLIENT-PRINCIPAL-ID",
    "token_header": "X-MS-TOKEN-AAD-ACCESS-TOKEN",
}


def headers(token: str, minutes: int) -> dict[str, str]:
    """The headers of App Service with a token that lasts for so long."""
    ends = (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat()
    return {
        "X-MS-CLIENT-PRINCIPAL-ID": "ann", "X-MS-TOKEN-AAD-ACCESS-TOKEN": token, "X-MS-TOKEN-AAD-EXPIRES-ON": ends,
    }  # fmt: skip


async def test_a_question_of_an_idle_tab_has_the_token_of_the_last_request(tmp_path: Path):
    offered = [{"name": "Chat", "url": "/chat", "pass_token": True}]
    async with (
        open_pages(tmp_path, saying("Red."), offered, is_complete=True, **SETTINGS) as pages,
        page_socket(pages.url, headers=headers("first-token", -1)) as page,
        httpx2.AsyncClient(base_url=pages.url) as browser,
    ):
        await page.boot()
        asked = asyncio.create_task(ask(page, "Is it red?"))
        # The page has refreshed its session at the proxy.
        await browser.get("/api/sign-in/me", headers=headers("second-token", 60))
        assert (await asked)["latest"]["status"] == "finished"
    posted = [one.headers["authorization"] for one in pages.backend.requests if one.method == "POST"]
    assert posted == ["Bearer second-token"]
