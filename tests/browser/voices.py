"""Stand-ins for voices and a speech recognizer, which headless Chromium lacks.

Tests control them with `spoken` and `dictation` on the page.
"""

import json
from typing import Any

from playwright.sync_api import BrowserContext, Page

LOCAL = [
    {"name": "Emma", "lang": "en-GB", "localService": True, "default": True},
    {"name": "Jonas", "lang": "de-DE", "localService": True, "default": False},
]
REMOTE = [{"name": "Far Away English", "lang": "en-US", "localService": False, "default": True}]

_SPEAKING = """voices => {
    const spoken = (window.spoken = { said: [], current: null, cancelled: 0, end() {
        const one = this.current;
        this.current = null;
        one.onend?.();
    } });
    window.SpeechSynthesisUtterance = class {
        constructor(text) { this.text = text; }
    };
    const synthesis = Object.assign(new EventTarget(), {
        getVoices: () => voices,
        speak(utterance) {
            spoken.current = utterance;
            spoken.said.push([utterance.text, utterance.lang, utterance.voice?.name ?? ""]);
        },
        cancel() {
            spoken.cancelled += 1;
            const one = spoken.current;
            spoken.current = null;
            if (one) setTimeout(() => one.onerror?.({ error: "canceled" }));
        },
    });
    Object.defineProperty(synthesis, "speaking", { get: () => spoken.current !== null });
    Object.defineProperty(synthesis, "pending", { get: () => false });
    Object.defineProperty(window, "speechSynthesis", { value: synthesis });
}"""

_HEARING = """onDevice => {
    window.dictation = { current: null, begun: 0, hear(...results) {
        const list = results.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal }));
        this.current.onresult({ results: list, resultIndex: 0 });
    }, fail(error) {
        this.current.onerror({ error });
        this.current.onend();
    } };
    window.SpeechRecognition = class {
        static async available() { return onDevice ? "available" : "unavailable"; }
        start() {
            window.dictation.current = this;
            window.dictation.begun += 1;
        }
        stop() { this.onend(); }
        abort() { this.onend(); }
    };
}"""


def give_voices(context: BrowserContext, voices: list[dict[str, Any]]) -> None:
    """Give these voices to pages opened from now on."""
    context.add_init_script(f"({_SPEAKING})({json.dumps(voices)})")


def give_recognizer(context: BrowserContext, *, on_device: bool = False) -> None:
    """Give a recognizer to pages opened from now on, local if `on_device`."""
    context.add_init_script(f"({_HEARING})({json.dumps(on_device)})")


def spoken_next(page: Page) -> tuple[str, str, str]:
    """The words spoken now, their language, and the name of their voice."""
    page.wait_for_function("() => window.spoken.current")
    words, lang, voice = page.evaluate("spoken.said.at(-1)")
    return words, lang, voice


def end_utterance(page: Page) -> None:
    page.evaluate("spoken.end()")
