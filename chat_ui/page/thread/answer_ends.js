// The ends of the answers on this page, for parts that were loaded while an answer streamed.

import { hear } from "../shared/hearing.js";

export const RUNNING = "running";

const ends = new EventTarget();

/** Report that the answer at `address` is completely on the page, with its status. */
export const tellEnd = (address, status) => ends.dispatchEvent(new CustomEvent(address, { detail: status }));

/** Call `listener` with the status whenever the answer at `address` is complete; returns a function that removes it. */
export const onEnd = (address, listener) => hear(ends, { [address]: ({ detail }) => listener(detail) });
