// Whether there is a connection to the server, which Reflex holds.

import { useContext } from "react";
import { EventLoopContext } from "$/utils/context";

// Reflex drops a temporal event where there is no connection, and returns undefined; here the list of events is empty.
const TEMPORAL = { temporal: true };

/** Whether an event reaches the server now, as far as this browser knows; and a way to connect. */
export function useConnection() {
  const [addEvents] = useContext(EventLoopContext);
  return { isConnected: () => addEvents([], [], TEMPORAL) !== undefined, connect: () => addEvents([], []) };
}

/** Whether the last attempt to connect failed. */
export const useFailed = () => useContext(EventLoopContext)[1].length > 0;
