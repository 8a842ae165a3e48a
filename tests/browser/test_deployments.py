from playwright.sync_api import Page, expect

from tests.browser.answering import answers, get_answer
from tests.browser.opening import NewContext
from tests.browser.places import focused_settings, open_settings, opened_switcher, save
from tests.features.demo.serving import serving
from tests.stand_ins.deployment import Deployment


def test_a_pasted_deployment_is_asked_with_its_options_and_shows_them(page: Page):
    deployment = Deployment()
    deployment.config |= {"showAgenticRetrievalOption": True, "webSourceEnabled": True}
    with serving(deployment.app) as url:
        opened_switcher(page).get_by_role("menuitem", name="Add a backend…").click()
        dialog = focused_settings(page)
        dialog.get_by_role("textbox", name="Backend URL").fill(url)
        save(dialog)
        expect(get_answer(page, "Does my plan cover glasses?")).to_contain_text("glasses")
        answers(page).get_by_role("button", name="Thoughts").click()
        thoughts = page.get_by_role("dialog", name="Thoughts")
        expect(thoughts).to_contain_text("Options of the deployment")
        thoughts.get_by_role("button", name="Close").click()
        dialog = open_settings(page)
        stream = dialog.get_by_role("switch", name="Stream answers")
        expect(stream).to_have_accessible_description("Answers that search the web cannot be streamed.")
        stream.press("Space")
        expect(stream).not_to_be_checked()
        expect(dialog.get_by_placeholder("10 (deployment's default)")).to_be_visible()
        effort = dialog.get_by_role("combobox", name="Retrieval effort")
        expect(effort.get_by_role("option", name="Minimal")).to_be_disabled()
        reason = "Effort of planning the retrieval. The web cannot be searched with minimal retrieval effort."
        expect(effort).to_have_accessible_description(reason)


LINES = """\
CHAT_UI_OIDC_ISSUER=https://login.microsoftonline.com/TENANT/v2.0
CHAT_UI_OIDC_CLIENT_ID=CLIENT
pass_token = true
token_scope = "api://SERVER/access_as_user"\
"""


def test_the_lines_that_sign_people_in_are_shown_and_copied(new_context: NewContext):
    page = new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto("/")
    deployment = Deployment()
    deployment.tokens["token-of-ana"] = "ana"
    with serving(deployment.app) as url:
        dialog = open_settings(page)
        dialog.get_by_role("textbox", name="Backend URL").fill(url)
        dialog.get_by_role("button", name="Test connection").click()
        lines = dialog.get_by_role("textbox", name="Lines for the operator")
        expect(lines).to_have_value(LINES)
        dialog.get_by_role("button", name="Copy the lines").click()
        expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == LINES
