// The messages between a page in a frame and the embedding page. Every message is an object with a `type`. Only
// messages of the embedding page from an allowed origin are handled.

import { pressed } from "../../../page/shared/hearing.js";

const SCHEMES = ["light", "dark", "system"];

/** Whether one of the `sources`, such as `https://example.com` or `https://*.example.com`, covers an origin. */
export function covers(sources, origin, own) {
  // In a policy, http includes https.
  const all = sources.flatMap((source) => [source, source.replace(/^http:/, "https:")]);
  return all.some((source) => {
    if (source === "*") return true;
    // Browsers differ in their handling of a host with a star.
    const [scheme, domain = ""] = source.split("*.");
    const known = source === "'self'" ? own : scheme + domain;
    if (!URL.canParse(known)) return false;
    const { protocol, host, origin: exact } = new URL(known);
    return domain ? origin.startsWith(`${protocol}//`) && origin.endsWith(`.${host}`) : origin === exact;
  });
}

/** The page that embeds the window `own`, if among `ancestors`; its questions have at most `most` characters. */
export class Host {
  #own;
  #origin = "";
  #conversation = null;
  #waiting = [];
  #acts = null;

  constructor(own, ancestors, most) {
    this.#own = own;
    own.addEventListener("message", ({ source, origin, data }) => {
      if (source !== own.parent || !covers(ancestors, origin, own.location.origin)) return;
      if (data?.type === "chat-ui:hello") this.#greet(origin);
      else if (data?.type === "chat-ui:focus") this.#act("focus");
      else if (data?.type === "chat-ui:ask") {
        const { question } = data;
        if (typeof question === "string" && question.trim() && question.length <= most) this.#act("ask", question);
      } else if (data?.type === "chat-ui:color-scheme" && SCHEMES.includes(data.scheme)) {
        this.#act("colorScheme", data.scheme);
      }
    });
    own.addEventListener("keydown", (event) => {
      if (pressed({ nativeEvent: event }, "Escape") && !event.defaultPrevented) this.#tell({ type: "chat-ui:close" });
    });
  }

  /** Run the `acts` for messages of the embedding page, including earlier ones; returns a function that stops this. */
  hear(acts) {
    this.#acts = acts;
    for (const [act, value] of this.#waiting.splice(0)) acts[act](value);
    return () => (this.#acts = null);
  }

  /** Send the conversation's path, also to a page that loads later; empty for a new conversation. */
  tellConversation(path) {
    this.#conversation = { type: "chat-ui:conversation", path };
    this.#tell(this.#conversation);
  }

  tellAnswer(complete, sources) {
    this.#tell({ type: "chat-ui:answer", complete, sources });
  }

  #greet(origin) {
    this.#origin = origin;
    this.#tell({ type: "chat-ui:ready" });
    if (this.#conversation) this.#tell(this.#conversation);
  }

  #act(act, value) {
    if (this.#acts) this.#acts[act](value);
    else this.#waiting.push([act, value]);
  }

  #tell(message) {
    if (this.#origin) this.#own.parent.postMessage(message, this.#origin);
  }
}
