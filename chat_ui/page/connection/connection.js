// The state of Reflex's connection to the server.

import { useContext } from "react";
import { EventLoopContext } from "$/utils/context";

// Reflex drops a temporal event without a connection, and returns undefined; here the list of events is empty.
const TEMPORAL = { temporal: true };

/** Whether events currently reach the server, as far as this browser knows, and a function to connect. */
export function useConnection() {
  const [addEvents] = useContext(EventLoopContext);
  return { isConnected: () => addEvents([], [], TEMPORAL) !== undefined, connect: () => addEvents([], []) };
}

/** Whether the last attempt to connect failed. */
export const useFailed = () => useContext(EventLoopContext)[1].length > 0;
