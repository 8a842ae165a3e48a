import time
from tests.browser.talking import *
def test_steps(new_context):
    for _ in range(3):
        t=[time.monotonic()]
        def tick(name):
            t.append(time.monotonic()); print(f"{name}: {t[-1]-t[-2]:.3f}")
        c = new_context(); tick("context")
        p = c.new_page(); tick("page")
        p.goto("/"); tick("goto")
        expect_alive(p); tick("alive")
        ask(p, "How much parental leave do I get?"); tick("ask")
        expect_settled(p); tick("settled")
        p.reload(); tick("reload"); expect_alive(p); tick("alive"); expect_settled(p); tick("settled")
        c.close(); tick("close")
