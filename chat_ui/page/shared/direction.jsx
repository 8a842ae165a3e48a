// The menus and tabs of Radix Themes take no direction from the document by themselves.

import { DirectionProvider } from "@radix-ui/react-direction";

/** @param {{ children?: import("react").ReactNode }} props */
export const Direction = ({ children }) => (
  <DirectionProvider dir={globalThis.document?.dir === "rtl" ? "rtl" : "ltr"}>{children}</DirectionProvider>
);
