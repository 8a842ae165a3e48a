// The ends of the answers on this page, for what was fetched of one while it grew.

import { hear } from "../shared/hearing.js";

export const RUNNING = "running";

const ends = new EventTarget();

/** Say that the answer at `address` is whole on the page, and with which status. */
export const tellEnd = (address, status) => ends.dispatchEvent(new CustomEvent(address, { detail: status }));

/** Call `listener` with the status whenever the answer at `address` is told to be whole; returns what ends that. */
export const onEnd = (address, listener) => hear(ends, { [address]: ({ detail }) => listener(detail) });
