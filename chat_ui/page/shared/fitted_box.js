// The height of a box for text that grows with what is in it, in browsers whose stylesheets cannot say that.

import { useLayoutEffect } from "react";
import { hear } from "./hearing.js";

const fit = (box) => {
  box.style.height = "auto";
  // The height of the content excludes the box's borders.
  box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
};

/** Keep the box of a ref, when there is one, as high as its text. */
export function useFittedHeight(ref) {
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box || CSS.supports("field-sizing", "content")) return undefined;
    const fitted = () => fit(box);
    fitted();
    return hear(box, { input: fitted });
  });
}
