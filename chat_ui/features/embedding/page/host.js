// What a page in a frame and the page around it tell each other. Every message is an object with a `type`. One counts that
// comes from the page around, from an origin that the operator lets frame this page; whatever else comes is ignored.

import { pressed } from "../../../page/shared/pressed.js";

const SCHEMES = ["light", "dark", "system"];

/** Whether one of the `sources`, such as `https://example.com` or `https://*.example.com`, covers an origin. */
export function covers(sources, origin, own) {
  // To a policy, one with http covers https as well.
  const all = sources.flatMap((source) => [source, source.replace(/^http:/, "https:")]);
  return all.some((source) => {
    if (source === "*") return true;
    // Browsers differ in what they make of a host with a star.
    const [scheme, domain = ""] = source.split("*.");
    const known = source === "'self'" ? own : scheme + domain;
    if (!URL.canParse(known)) return false;
    const { protocol, host, origin: exact } = new URL(known);
    return domain ? origin.startsWith(`${protocol}//`) && origin.endsWith(`.${host}`) : origin === exact;
  });
}

/**
 * The page around `own`, a window in a frame of it, which `ancestors` may do; a question that it asks has at most `most`
 * characters.
 */
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

  /** Have the `acts` do what the page around wants, also what came before; returns what ends that. */
  hear(acts) {
    this.#acts = acts;
    for (const [act, value] of this.#waiting.splice(0)) acts[act](value);
    return () => {
      this.#acts = null;
    };
  }

  /** Tell at which path the conversation is, again to a page that comes later; empty for one that has not begun. */
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
