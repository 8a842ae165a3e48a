from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.app import free_port, running_app
from tests.backends.recorded import QUESTION, RECORDED, recording_of
from tests.browser.answering import answers, copied, expect_settled, get_answer, text_of
from tests.browser.axe import expect_no_violations_in_both_schemes
from tests.browser.opening import NewContext, open_page, reload
from tests.browser.places import open_settings
from tests.browser.stand_in import StandIn

pytestmark = [pytest.mark.timeout(400), pytest.mark.thorough]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
LONG_AGO = "Recorded on 20 November 2025"


def test_a_recording_answers_in_place_of_a_backend_and_is_labelled(
    built_app: Path, tmp_path: Path, new_context: NewContext
):
    replay = str(recording_of(tmp_path / "showing.jsonl", RECORDED))
    with running_app(tmp_path, {"CHAT_UI_REPLAY": replay}, built_app) as url:
        page = open_page(new_context(base_url=url, permissions=CLIPBOARD))
        expect(page.locator(".backend > .backend-recorded")).to_be_visible()
        expect(page.locator(".backend > .backend-dot")).to_have_count(0)
        page.get_by_role("button", name=QUESTION).click()
        answer = expect_settled(page)
        expect(answer.get_by_text(LONG_AGO, exact=True)).to_be_visible()
        assert LONG_AGO in copied(page, answer.get_by_role("button", name="Copy answer"))
        expect_no_violations_in_both_schemes(page)
        dialog = open_settings(page)
        expect(dialog).to_contain_text("without a network.")
        expect(dialog.get_by_role("button", name="Save")).to_have_count(0)


def test_a_recording_answers_a_failed_question_and_is_labelled(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in: StandIn
):
    recording_of(tmp_path / "showing.jsonl", RECORDED)
    addresses = {"Gone": f"http://127.0.0.1:{free_port()}/chat", "There": stand_in.saying("Live.")}
    (tmp_path / "backends.toml").write_text(
        "".join(
            f'[[backends]]\nname = "{name}"\nurl = "{address}"\nfallback = "showing.jsonl"\n'
            for name, address in addresses.items()
        )
    )
    with running_app(tmp_path, {"CHAT_UI_BACKENDS": str(tmp_path / "backends.toml")}, built_app) as url:
        page = open_page(new_context(base_url=url, permissions=CLIPBOARD))
        answer = get_answer(page, QUESTION)
        assert text_of(answer) == "Theplanpays.(recorded)"
        why = "Answered from the recording of 20 November 2025: the backend failed. Could not connect"
        expect(answer.get_by_role("alert")).to_contain_text(why)
        # A manual copy names the recording too.
        answer.locator(".answer-text").evaluate("element => getSelection().selectAllChildren(element)")
        page.keyboard.press("ControlOrMeta+c")
        assert LONG_AGO in page.evaluate("navigator.clipboard.readText()")
        reload(page)
        expect(answers(page).last).to_contain_text("Answered from the recording of 20 November 2025")
        expect(page.get_by_role("combobox", name="Backend")).to_have_value("given:Gone")
        answer = get_answer(page, "What is not in it?", turns=2)
        expect(answer.get_by_role("alert")).to_contain_text("Could not connect")
        page.get_by_role("combobox", name="Backend").select_option(label="There")
        answer = get_answer(page, QUESTION, turns=3)
        assert text_of(answer) == "Live."
        expect(answer.get_by_text(LONG_AGO)).to_have_count(0)
