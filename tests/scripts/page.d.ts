// Parts of the page that Reflex and Vite make.

declare module "$/utils/context" {
  /** What each state of the page begins with, by its name. */
  export const initialState: Record<string, Record<string, unknown>>;
  import type { Context } from "react";

  /** The scheme of colours, and what sets it. */
  export const ColorModeContext: Context<{
    rawColorMode: string;
    resolvedColorMode: string;
    setColorMode: (scheme: string) => void;
  }>;

  /** How events go to the server, and the errors of the connection. */
  export const EventLoopContext: Context<[(events: object[], args: unknown[], actions?: object) => unknown, Error[]]>;
}

/** What the server says of the chat before the script that embeds it. */
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
  /** What a page can do with the chat that is embedded in it. */
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
  /** What Vite says of the build; nothing elsewhere. */
  readonly env?: { readonly SSR: boolean };
}
