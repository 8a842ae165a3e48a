// The height of a text box that grows with its content, in browsers without CSS for it.

import { useLayoutEffect } from "react";
import { hear } from "./hearing.js";

const fit = (box) => {
  box.style.height = "auto";
  // The height of the content excludes the box's borders.
  box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
};

/** Keep the box of a ref, if any, as high as its text. */
export function useFittedHeight(ref) {
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box || CSS.supports("field-sizing", "content")) return undefined;
    const fitted = () => fit(box);
    fitted();
    return hear(box, { input: fitted });
  });
}
