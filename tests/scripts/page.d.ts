// Parts of the page that Reflex and Vite make.

declare module "$/utils/context" {
  /** The initial values of each state of the page, by its name. */
  export const initialState: Record<string, Record<string, unknown>>;
  import type { Context } from "react";

  /** The colour scheme, and its setter. */
  export const ColorModeContext: Context<{
    rawColorMode: string;
    resolvedColorMode: string;
    setColorMode: (scheme: string) => void;
  }>;

  /** The sender of events, and the errors of the connection. */
  export const EventLoopContext: Context<[(events: object[], args: unknown[], actions?: object) => unknown, Error[]]>;
}

/** The server's data of the chat before the embedding script. */
declare const CHAT: {
  title: string;
  ground: string;
  drawn: string;
  open: string;
  close: string;
  refusal: string;
  alone: string;
};

interface Window {
  /** The host page's interface to the embedded chat. */
  chatUI?: {
    open: () => void;
    close: () => void;
    ask: (question: string) => void;
    colorScheme: (scheme: "light" | "dark" | "system") => void;
  };
}

declare module "*?url" {
  const address: string;
  export default address;
}

declare module "*.css?inline" {
  const rules: string;
  export default rules;
}

interface ImportMeta {
  /** Vite's facts about the build, undefined elsewhere. */
  readonly env?: { readonly SSR: boolean };
}
