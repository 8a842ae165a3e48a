import { afterEach, beforeEach, expect, jest, mock, spyOn, test } from "bun:test";
import { RemoteVoice } from "../../chat_ui/features/deployment/page/remote_voice.js";
import { Listening } from "../../chat_ui/features/speech/page/listening.js";
import { settled } from "./rendering.js";

const EMMA = { name: "Emma", lang: "en-GB", localService: true, default: true };
const JONAS = { name: "Jonas", lang: "de-DE", localService: true, default: false };
const FAR = { name: "Far Away English", lang: "en-US", localService: false, default: true };

const TWO = '<div><p>Bojen sind rot. Sie schwimmen.</p></div><div lang="en"><p>Red.</p></div>';

const page = { onEnd: jest.fn(), onProblem: jest.fn(), mayAsk: jest.fn() };
const { speechSynthesis: former, SpeechSynthesisUtterance: formerUtterance } = globalThis;
let said;
let speech;
let listening;
let voice;

beforeEach(() => {
  jest.useFakeTimers();
  for (const act of Object.values(page)) act.mockReset();
  said = [];
  voice = undefined;
  speech = { speaking: false, pending: false, cancel: jest.fn(), speak: (utterance) => said.push(utterance) };
  globalThis.speechSynthesis = speech;
  globalThis.SpeechSynthesisUtterance = /** @type {any} */ (
    class {
      constructor(text) {
        this.text = text;
      }
    }
  );
});
afterEach(() => {
  listening.stop();
  mock.restore();
  jest.useRealTimers();
  Object.assign(globalThis, { speechSynthesis: former, SpeechSynthesisUtterance: formerUtterance });
});

/** Read an answer aloud with these voices, until its first words or its end. */
async function read(html, ...voices) {
  if (speech) speech.getVoices = () => voices;
  document.body.innerHTML = `<article><div class="answer-text" lang="de">${html}</div></article>`;
  listening?.stop();
  page.onEnd.mockClear();
  listening = new Listening(document.querySelector(".answer-text"), { ...page, voice });
  await settled();
  jest.advanceTimersByTime(100);
}

const words = () => said.map(({ text, lang, voice }) => [text, lang, voice?.name]);

test("an answer is read in its language, and code as its length in the page's", async () => {
  const code = '<div><div class="code-block"><pre><code>a\n</code></pre></div></div>';
  await read(`<div><p>Bojen sind rot.</p></div>${code}`, EMMA, JONAS);
  expect(words()).toEqual([["Bojen sind rot.", "de-DE", "Jonas"]]);
  said[0].onend();
  expect(words()[1]).toEqual(["code, one line", "en-GB", "Emma"]);
  said[1].onend();
  expect([said.length, page.onEnd.mock.calls.length]).toEqual([2, 1]);
});

test("a missing voice is announced and nothing is read", async () => {
  await read("<div><p>Bojen sind rot.</p></div>", EMMA);
  expect([said, page.onProblem.mock.calls]).toEqual([[], [["Text in German; this browser has no voice for it."]]]);
});

test("a remote voice needs consent", async () => {
  for (const [isAllowed, count] of [
    [false, 0],
    [true, 1],
  ]) {
    page.mayAsk.mockResolvedValue(isAllowed);
    await read('<div lang="en"><p>Red.</p></div>', JONAS, FAR);
    expect([page.mayAsk.mock.lastCall[1].words.includes("“Far Away English”"), said.length]).toEqual([true, count]);
  }
});

test("a failed utterance ends the reading with a message", async () => {
  await read("<div><p>Eins.</p><p>Zwei.</p><p>Drei.</p></div>", JONAS);
  said[0].onerror({ error: "interrupted" });
  expect(words().at(-1)[0]).toBe("Zwei.");
  said[1].onerror({ error: "synthesis-failed" });
  expect([said.length, page.onProblem.mock.lastCall[0]]).toEqual([2, expect.stringContaining("choose another voice")]);
});

test("reading continues without the browser's end event", async () => {
  speech.speaking = true;
  await read("<div><p>Eins.</p><p>Zwei.</p></div>", JONAS);
  jest.advanceTimersByTime(20_000);
  expect(said.length).toBe(1);
  speech.speaking = false;
  jest.advanceTimersByTime(5000);
  expect(words().at(-1)[0]).toBe("Zwei.");
});

test("Escape ends the reading unless handled elsewhere", async () => {
  const escapeKey = (more) => {
    const event = new KeyboardEvent("keydown", { key: "Escape", cancelable: true, ...more });
    if (more.isTaken) event.preventDefault();
    document.dispatchEvent(event);
    return page.onEnd.mock.calls.length;
  };
  await read("<div><p>Eins.</p></div>", JONAS);
  expect([escapeKey({ isComposing: true }), escapeKey({ isTaken: true }), escapeKey({}), escapeKey({})]).toEqual([
    0, 0, 1, 1,
  ]);
  expect(speech.cancel).toHaveBeenCalled();
});

/** A remote voice, whose sounds are the fetched words, which play until `end`. It answers like `respond`. */
function remote(respond = (text) => new Response(text)) {
  const asked = [];
  const heard = [];
  const fetch = async (_address, { body, signal }) => {
    signal.throwIfAborted();
    asked.push(JSON.parse(body).text);
    return respond(asked.at(-1));
  };
  spyOn(globalThis, "fetch").mockImplementation(/** @type {any} */ (fetch));
  const audio = Object.assign(new EventTarget(), {
    state: "running",
    resume: async () => {},
    decodeAudioData: async (data) => new TextDecoder().decode(data),
    createBufferSource: () =>
      Object.assign(new EventTarget(), {
        connect() {},
        start() {
          heard.push(this);
        },
      }),
  });
  voice = new RemoteVoice("/deployment/", "/answers/a.b", /** @type {any} */ (audio));
  const end = async () => {
    heard.at(-1).dispatchEvent(new Event("ended"));
    await settled();
  };
  return { asked, audio, end, heard: () => heard.map(({ buffer }) => buffer) };
}

test("a remote voice reads sentence by sentence, each fetched while the one before plays", async () => {
  const { asked, audio, end, heard } = remote();
  await read(TWO);
  expect([asked, heard()]).toEqual([["Bojen sind rot.", "Sie schwimmen."], ["Bojen sind rot."]]);
  await end();
  expect([asked.slice(2), heard().slice(1)]).toEqual([["Red."], ["Sie schwimmen."]]);
  await end();
  expect(page.onEnd).not.toHaveBeenCalled();
  await end();
  expect([heard().length, said, page.onEnd.mock.calls.length, page.mayAsk.mock.calls]).toEqual([3, [], 1, []]);

  // Closed audio ends the requests.
  await read(TWO);
  listening.stop();
  audio.state = "closed";
  audio.dispatchEvent(new Event("statechange"));
  await end();
  expect([asked.length, said, page.onProblem.mock.calls]).toEqual([5, [], []]);
});

test("the browser's voice continues from the sentence at which the remote one fails", async () => {
  const failure = { status: 409, headers: { "Content-Type": "text/plain" } };
  const respond = (text) => (text[0] === "S" ? new Response("Demo's voice failed.", failure) : new Response(text));
  const { asked, end, heard } = remote(respond);
  page.mayAsk.mockResolvedValue(true);
  await read(TWO, JONAS, FAR);
  await end();
  jest.advanceTimersByTime(100);
  expect(words()).toEqual([["Sie schwimmen.", "de-DE", "Jonas"]]);
  expect(page.mayAsk.mock.lastCall[1].words).toStartWith(
    "Demo's voice failed. This browser has no voice on the device",
  );
  expect(page.onProblem.mock.calls).toEqual([["Demo's voice failed. The browser's voice continues."]]);
  said[0].onend();
  expect([words()[1][0], asked.length, heard().length]).toEqual(["Red.", 2, 1]);
});

test("a silent remote voice without another one is reported", async () => {
  const { audio } = remote();
  Object.assign(audio, { state: "suspended", resume: () => new Promise(() => {}) });
  globalThis.speechSynthesis = speech = undefined;
  await read(TWO);
  jest.advanceTimersByTime(5000);
  await settled();
  const reported = [["Text in German; this browser has no voice for it."]];
  expect([page.onProblem.mock.calls, page.onEnd.mock.calls.length]).toEqual([reported, 1]);
});

test("an answer whose deployment has no voice is read by the browser, without words about it", async () => {
  remote(() => new Response("", { status: 404 }));
  await read(TWO, JONAS, EMMA);
  expect([words(), page.onProblem.mock.calls]).toEqual([[["Bojen sind rot.", "de-DE", "Jonas"]], []]);
});
