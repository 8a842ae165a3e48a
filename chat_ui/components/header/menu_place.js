// The container of the header's menu: by default a menu stands outside of the page's landmarks.

import { useEffect, useState } from "react";

export function useHeader() {
  const [header, setHeader] = useState(null);
  useEffect(() => setHeader(document.querySelector("header")), []);
  return header;
}
