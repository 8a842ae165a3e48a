// Shows the page's messages of the channel (`chat_ui/features/presenting/page/presenter.js`), and sends it the window's
// commands.

const CHANNEL = "chat-ui-presenting";
const ASK_EVERY = 1000;
// Milliseconds without a message after which the page counts as closed.
const SILENT = 2500;
const KEYS = {
  PageDown: "next",
  ArrowRight: "next",
  PageUp: "back",
  ArrowLeft: "back",
  b: "blank",
  B: "blank",
  ".": "blank",
  Escape: "end",
  F2: "end",
};

const words = JSON.parse(document.getElementById("words").textContent);
let presentation = location.hash.slice(1);
const channel = new BroadcastChannel(CHANNEL);
const { lang } = document.documentElement;
const locale = `${lang === "en" ? "en-GB" : lang}-u-nu-latn`;
const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
/** @type {HTMLButtonElement[]} */
const buttons = [...document.querySelectorAll("button")];

let state = null;
let heardAt = Date.now();

const filled = (message, values) => message.replace(/\{(\w+)\}/g, (field, name) => values[name] ?? field);

function write(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}

function writeStep(prefix, step, instead) {
  write(`${prefix}question`, step ? step.question : instead);
  write(`${prefix}opens`, step ? step.opens : "");
  document.getElementById(`${prefix}notes`).toggleAttribute("data-none", !step?.notes);
  write(`${prefix}notes`, step ? step.notes || (prefix ? "" : words["no notes"]) : "");
}

function elapsed(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function show() {
  const isGone = Date.now() - heardAt > SILENT;
  const isOn = Boolean(state?.isOn) && !isGone;
  document.body.dataset.phase = isOn ? state.phase : "apart";
  document.body.toggleAttribute("data-blank", isOn && state.isBlank);
  for (const button of buttons) {
    button.disabled = !isOn;
    if (button.dataset.act === "blank") button.setAttribute("aria-pressed", String(isOn && state.isBlank));
  }
  write("status", isOn ? state.status : isGone ? words.gone : words.apart);
  write("remark", isOn ? state.remark : "");
  if (!isOn) write("awaited", "");
  if (!state) return;
  write(
    "place",
    state.number
      ? filled(words.place, { number: integer.format(state.number), total: integer.format(state.total) })
      : "",
  );
  writeStep("", state.step, words.start);
  writeStep("next-", state.next, words.last);
}

function tick() {
  const now = Date.now();
  write("clock", time.format(now));
  if (state?.since) write("elapsed", elapsed(now - state.since));
  const since = state?.isOn ? state.awaitedSince : null;
  write("awaited", since ? filled(words.seconds, { seconds: integer.format(Math.floor((now - since) / 1000)) }) : "");
  show();
}

const tell = (act) => channel.postMessage({ for: presentation, act });

channel.onmessage = ({ data }) => {
  if (data?.presentation !== presentation) return;
  state = data;
  heardAt = Date.now();
  tick();
};
document.addEventListener("keydown", (event) => {
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  if (event.key === "F5") event.preventDefault();
  if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (!event.repeat && state?.isOn) tell(act);
});
// The page opens a later presentation in the same window.
window.addEventListener("hashchange", () => {
  presentation = location.hash.slice(1);
  state = null;
  heardAt = Date.now();
  tell("state");
  tick();
});
for (const button of buttons) button.addEventListener("click", () => tell(button.dataset.act));
setInterval(() => {
  tell("state");
  tick();
}, ASK_EVERY);
tell("state");
tick();
