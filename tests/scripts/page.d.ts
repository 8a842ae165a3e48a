// Parts of the page that Reflex and Vite make.

declare module "$/utils/context" {
  /** What each state of the page begins with, by its name. */
  export const initialState: Record<string, Record<string, unknown>>;
  import type { Context } from "react";

  /** How events go to the server, and the errors of the connection. */
  export const EventLoopContext: Context<[(events: object[], args: unknown[], actions?: object) => unknown, Error[]]>;
}

declare module "*?url" {
  const address: string;
  export default address;
}
