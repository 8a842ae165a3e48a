import re

from playwright.sync_api import BrowserContext, expect

from tests.browser.answering import expect_settled, get_answer
from tests.browser.opening import expect_alive, open_page
from tests.browser.places import choose_theme, leave
from tests.browser.stand_in import StandIn

TRY = """async ([app, kind]) => {
  if (kind === "socket") {
    return new Promise((done) => {
      const socket = new WebSocket(app.replace("http", "ws") + "/_event/?EIO=4&transport=websocket");
      socket.onopen = () => done("open");
      socket.onerror = () => done("refused");
    });
  }
  if (kind === "polling") {
    return fetch(app + "/_event/?EIO=4&transport=polling", { credentials: "include" })
      .then((answer) => answer.text(), () => "refused");
  }
  return fetch(app + "/demo/chat", { method: "POST", body: "{}", mode: "no-cors", credentials: "include" })
    .then((answer) => answer.type, () => "refused");
}"""


def test_a_foreign_page_can_neither_connect_read_post_nor_frame_the_app(
    context: BrowserContext, stand_in: StandIn, app_url: str
):
    context.request.get("/")
    page = context.new_page()
    html = f'<!doctype html><title>Elsewhere</title><iframe src="{app_url}/"></iframe>'
    page.goto(stand_in.page(html) + "/stream")
    expect(page).to_have_title("Elsewhere")
    for kind in ("socket", "polling", "post"):
        assert page.evaluate(TRY, [app_url, kind]) == "refused"
    page.wait_for_function("() => frames.length === 1")
    page.frames[1].wait_for_url(re.compile("^chrome-error:"))


def test_the_page_keeps_its_policy_and_an_injected_script_does_not_run(context: BrowserContext):
    broken: list[str] = []
    context.on("console", lambda line: broken.append(line.text) if "Content Security Policy" in line.text else None)
    context.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.log('Content Security Policy', e.violatedDirective))"
    )
    page = open_page(context)
    get_answer(page, "Show me everything Markdown can do")
    page.get_by_role("button", name="Sources").click()
    expect(page.get_by_role("region", name="Sources").get_by_role("listitem").first).to_be_visible()
    page.get_by_role("button", name="Close sources").click()
    expect(page.get_by_role("region", name="Sources")).to_have_count(0)
    for name in ("Thoughts", "Backend settings"):
        page.get_by_role("button", name=name).click()
        dialog = page.get_by_role("dialog", name=name)
        expect(dialog).to_be_visible()
        # The settings take the focus, and thoughts open beside the conversation.
        if name == "Backend settings":
            expect(dialog.locator(":focus")).to_be_attached()
        leave(page.get_by_role("dialog", name=name))
    choose_theme(page, "Dark")
    page.reload()
    expect_settled(page)
    expect_alive(page)
    assert broken == []
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    assert page.evaluate("window.ran") is None
    page.evaluate(
        """() => new Promise((failed) => {
            document.body.insertAdjacentHTML("beforeend", "<img src=data:, onerror='window.ran = 2'>");
            document.body.lastElementChild.addEventListener("error", failed);
        })"""
    )
    assert page.evaluate("window.ran") is None
    assert broken
