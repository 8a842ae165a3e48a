// The width below which panels are sheets, as in the stylesheets.

export const NARROW = "(max-width: 60rem)";

export const isNarrow = () => matchMedia(NARROW).matches;
