// The menus and tabs of Radix Themes do not take the direction from the document.

import { DirectionProvider } from "@radix-ui/react-direction";

/** @param {{ children?: import("react").ReactNode }} props */
export const Direction = ({ children }) => (
  <DirectionProvider dir={globalThis.document?.dir === "rtl" ? "rtl" : "ltr"}>{children}</DirectionProvider>
);
