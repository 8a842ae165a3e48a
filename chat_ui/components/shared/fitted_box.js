// The height of a box for text that grows with what is in it, in browsers whose stylesheets cannot say that.

import { useEffect } from "react";

const fit = (box) => {
  box.style.height = "auto";
  // Of the box only its edges are added to what scrolls.
  box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
};

/** Keep the box of a ref, when there is one, as high as its text, whoever typed that. */
export function useFittedHeight(ref) {
  useEffect(() => {
    const box = ref.current;
    if (!box || CSS.supports("field-sizing", "content")) return undefined;
    const fitted = () => fit(box);
    fitted();
    box.addEventListener("input", fitted);
    return () => box.removeEventListener("input", fitted);
  });
}
