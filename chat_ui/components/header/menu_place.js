// Where the menu of the page's header goes: by itself it would stand beside all of the page, in none of its landmarks.

import { useEffect, useState } from "react";

export function useHeader() {
  const [header, setHeader] = useState(null);
  useEffect(() => setHeader(document.querySelector("header")), []);
  return header;
}
