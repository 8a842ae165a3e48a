/** How many there are of what is called `one`: one line, 2 lines. */
export const counted = (number, one) => (number === 1 ? `one ${one}` : `${number} ${one}s`);
