// The place below the passage of a citation, which loads with the first one.

export const belowPassage = () => import("./doubted_citation.jsx");
