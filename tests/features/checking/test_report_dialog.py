import pytest

from chat_ui.protocol.conformance.examination import MAX_REQUESTS
from tests.backends.state.test_connection import WAITING, with_dialog
from tests.page.state.pages import REPORT, Pages
from tests.page_socket import DIALOG, PageSocket

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_report_announces_its_requests_and_then_shows_the_findings(pages: Pages, page: PageSocket):
    await with_dialog(page, f"{pages.backend.url}/chat?key=1")
    state = await page.do(f"{REPORT}.set_open", {"is_open": True}, lambda state: state["about"])
    assert state["about"] == f"{pages.backend.url}/chat"
    await page.do(f"{REPORT}.run_check", {"secret": ""}, lambda state: state["html"])
    state = await page.until(lambda state: state["step"] == "")
    assert state["verdict"]
    steps = "".join(page.told)
    for step in ("Starting", f"1 of at most {MAX_REQUESTS}: ", f"2 of at most {MAX_REQUESTS}: "):
        assert f'"step_rx_state_":"{step}' in steps
    state = await page.do(f"{REPORT}.set_open", {"is_open": True}, lambda state: state["html"] == "")
    assert (state["verdict"], state["step"]) == ("", "")


async def test_the_report_opens_for_the_backend_in_use_without_its_settings(page: PageSocket):
    await page.do(f"{REPORT}.open_for_current")
    assert (page.states[REPORT]["is_open"], page.states[DIALOG]["is_open"]) == (True, False)
    assert page.states[REPORT]["about"].endswith("/chat")
    await page.do(f"{REPORT}.run_check", {"secret": ""}, lambda state: state["html"])


async def test_a_check_is_stopped_and_only_one_runs(pages: Pages, page: PageSocket):
    pages.backend.reply = WAITING
    await with_dialog(page)
    for event, payload in (("check_or_stop", {"secret": ""}), ("set_open", {"is_open": False})):
        await page.do(f"{REPORT}.run_check", {"secret": ""}, lambda state: "1 of at most" in state["step"])
        state = await page.do(f"{REPORT}.run_check", {"secret": ""}, lambda state: state["verdict"])
        assert state["verdict"] == "A check is already running. Wait until it ends, or stop it."
        assert state["outcome"] == ""
        state = await page.do(f"{REPORT}.{event}", payload, lambda state: state["step"] == "")
        assert (state["verdict"], state["outcome"]) == ("The check was stopped.", "")
