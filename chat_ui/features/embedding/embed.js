// The chat in a page of another site: a button at the lower right, and a panel with the chat in a frame. All of it is
// in a shadow root, so that neither page styles the other. It avoids markup and inline styles, which the embedding
// page's policy may refuse. Only this script loads before the panel opens.

// The server sends `CHAT` before this: its name, the colours of its icon and its texts.
function embed({ title, ground, drawn, ...words }) {
  // A module script cannot find its own element.
  const script = /** @type {HTMLScriptElement | null} */ (
    document.currentScript ?? document.querySelector("script[type=module][src*='/embed.js']")
  );
  if (window.chatUI?.ask || !script) return;
  const { origin } = new URL(script.src);
  const { backend } = script.dataset;
  const start = backend ? `${origin}/?backend=${encodeURIComponent(backend)}` : `${origin}/`;
  const BUBBLE = "M8 9h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8l-5 4v-4H8a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2z";
  const CROSS = "M9 9l14 14M23 9L9 23";
  const CONVERSATION = /^\/c\/[\w-]+$/;
  // Milliseconds from a frame's load to its message: a frame that the policy refuses loads, but stays silent.
  const SILENCE = 5000;
  const STYLE = `
:host{all:initial!important}
section{direction:ltr;color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
[hidden]{display:none!important}
button{position:fixed;z-index:2147483647;right:calc(20px + env(safe-area-inset-right));
bottom:calc(20px + env(safe-area-inset-bottom));width:56px;height:56px;padding:0;border:2px solid transparent;
border-radius:50%;background:${ground};color:${drawn};box-shadow:0 2px 12px #0006;cursor:pointer}
button:focus-visible{outline:3px solid ${drawn};outline-offset:-7px}
svg{display:block;width:32px;height:32px;margin:auto;fill:none;stroke:currentColor;stroke-width:2.5}
div{position:fixed;z-index:2147483646;right:calc(20px + env(safe-area-inset-right));
bottom:calc(88px + env(safe-area-inset-bottom));box-sizing:border-box;width:400px;max-width:calc(100vw - 40px);
height:min(640px,100vh - 120px);overflow:hidden;border:1px solid #8888;border-radius:12px;background:Canvas;
color:CanvasText;box-shadow:0 8px 32px #0004}
iframe{display:block;width:100%;height:100%;border:0}
p{height:100%;margin:0;padding:24px;box-sizing:border-box;background:Canvas;unicode-bidi:plaintext;text-align:start}
@media(max-width:480px),(max-height:480px){
[aria-expanded=true]{top:env(safe-area-inset-top);right:env(safe-area-inset-right);bottom:auto;width:48px;height:48px;
border-radius:0;box-shadow:none}
div{inset:0;width:auto;max-width:none;height:auto;padding-top:calc(48px + env(safe-area-inset-top));border:0;
border-radius:0;background:${ground}}
}
@media print{section{display:none}}`;

  // The storage keys: whether it is open, for this visit, and its conversation, permanently; a browser may deny
  // storage.
  const name = `chat-ui ${origin}`;
  const keep = (/** @type {"localStorage" | "sessionStorage"} */ area, /** @type {string} */ value) => {
    try {
      window[area].setItem(name, value);
    } catch {}
  };
  const kept = (/** @type {"localStorage" | "sessionStorage"} */ area) => {
    try {
      return window[area].getItem(name);
    } catch {}
  };
  const make = (/** @type {string} */ name, attributes = {}, /** @type {(Node | string)[]} */ ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const host = make("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const drawing = document.createElementNS(svg.namespaceURI, "path");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("aria-hidden", "true");
  svg.append(drawing);
  const button = make("button", { type: "button" }, svg);
  const panel = make("div", { role: "dialog", "aria-label": title });
  const link = make("a", { href: start, target: "_blank", rel: "noopener" }, words.alone);
  const refusal = make("p", {}, `${words.refusal} `, link);
  root.append(make("section", { "aria-label": title }, button, panel));

  /** @type {HTMLIFrameElement | undefined} */
  let frame;
  let isReady = false;
  let silence = 0;
  /** @type {object[]} */
  const waiting = [];

  const post = (/** @type {object} */ message) => frame?.contentWindow?.postMessage(message, origin);
  const tell = (/** @type {object} */ message) => (isReady ? post(message) : waiting.push(message));
  const refuse = () => {
    const hadFocus = root.activeElement === frame;
    frame.hidden = true;
    panel.append(refusal);
    if (hadFocus) link.focus();
  };
  const show = (/** @type {boolean} */ isOpen) => {
    if (isOpen && !frame) {
      const path = kept("localStorage");
      const src = CONVERSATION.test(path) ? origin + path : start;
      frame = /** @type {HTMLIFrameElement} */ (make("iframe", { title, allow: "clipboard-write", src }));
      frame.addEventListener("load", () => {
        isReady = false;
        clearTimeout(silence);
        silence = window.setTimeout(refuse, SILENCE);
        post({ type: "chat-ui:hello" });
      });
      panel.append(frame);
    }
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    button.setAttribute("aria-label", isOpen ? words.close : words.open);
    drawing.setAttribute("d", isOpen ? CROSS : BUBBLE);
    keep("sessionStorage", isOpen ? "open" : "");
  };
  const open = () => {
    show(true);
    // Retry: the server may be available again, or its operator may now allow this page.
    if (frame.hidden) frame.setAttribute("src", frame.src);
    (frame.hidden ? link : frame).focus();
    // The frame lost its focus when it was hidden; at first it sets the focus itself.
    if (isReady) post({ type: "chat-ui:focus" });
  };
  const close = () => {
    if (root.activeElement) button.focus();
    show(false);
  };

  button.addEventListener("click", () => (panel.hidden ? open() : close()));
  root.addEventListener("keydown", (/** @type {KeyboardEvent} */ { key }) => key === "Escape" && close());
  window.addEventListener("message", ({ source, origin: from, data }) => {
    if (!frame || source !== frame.contentWindow || from !== origin) return;
    if (data?.type === "chat-ui:ready") {
      const hadFocus = root.activeElement === link;
      isReady = true;
      clearTimeout(silence);
      frame.hidden = false;
      refusal.remove();
      if (hadFocus) {
        frame.focus();
        // The page in the frame may have set its focus before the frame had it.
        post({ type: "chat-ui:focus" });
      }
      waiting.splice(0).forEach(tell);
    } else if (data?.type === "chat-ui:conversation") {
      keep("localStorage", data.path);
    } else if (data?.type === "chat-ui:answer") {
      const { complete, sources } = data;
      window.dispatchEvent(new CustomEvent("chat-ui:answer", { detail: { complete, sources } }));
    } else if (data?.type === "chat-ui:close") close();
  });

  window.chatUI = {
    open,
    close,
    ask(question) {
      open();
      // A value that cannot be cloned, such as an event, would block the queued messages.
      if (typeof question === "string") tell({ type: "chat-ui:ask", question });
    },
    colorScheme: (scheme) => void tell({ type: "chat-ui:color-scheme", scheme: `${scheme}` }),
  };
  show(kept("sessionStorage") === "open");
  document.documentElement.append(host);
}

embed(CHAT);
