// The services of the deployment behind the backend in use, as far as the deployment has them.

import { useEffect, useState } from "react";
import { fetchedJson } from "../../../page/shared/loading.js";

export function Deployment({ address, of }) {
  const [told, setTold] = useState(null);
  useEffect(() => {
    if (!of) return undefined;
    const leave = new AbortController();
    setTold(null);
    fetchedJson(`${address}?of=${encodeURIComponent(of)}`, leave.signal).then(
      ({ name, services }) => setTold({ name, services }),
      // The page is whole without these services.
      () => {},
    );
    return () => leave.abort();
  }, [address, of]);
  return null;
}
