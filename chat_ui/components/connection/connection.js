// Whether there is a connection to the server, which Reflex holds.

import { useContext } from "react";
import { EventLoopContext } from "$/utils/context";

// Reflex drops an event of this kind where there is no connection, and returns nothing then; here it drops none at all.
const TEMPORAL = { temporal: true };

/** Whether what is said now reaches the server, as far as this browser knows; and a way to have it connect. */
export function useConnection() {
  const [addEvents] = useContext(EventLoopContext);
  return { isConnected: () => addEvents([], [], TEMPORAL) !== undefined, connect: () => addEvents([], []) };
}

/** Whether the last attempt to connect failed. */
export const useFailed = () => useContext(EventLoopContext)[1].length > 0;
