// The part below a citation's passage, loaded with the first one.

export const belowPassage = () => import("./doubted_citation.jsx");
