// The services of the deployment behind the backend in use, as far as the deployment has them.

import { useCallback, useEffect, useState } from "react";
import { fetchedJson } from "../../../page/shared/loading.js";
import { useProvide } from "../../../page/shared/provided.js";
import { SessionsPart } from "./sessions_part.jsx";
import { YourFiles } from "./your_files.jsx";

export function Deployment({ address, of }) {
  const [told, setTold] = useState(null);
  const ofBackend = `?of=${encodeURIComponent(of)}`;
  useEffect(() => {
    if (!of) return undefined;
    const leave = new AbortController();
    setTold(null);
    fetchedJson(`${address}${ofBackend}`, leave.signal).then(
      ({ name, services }) => setTold({ name, services }),
      // The page is whole without these services.
      () => {},
    );
    return () => leave.abort();
  }, [address, of, ofBackend]);
  const has = (service) => told?.services.includes(service);
  return (
    <>
      {has("files") && <YourFiles name={told.name} address={`${address}files${ofBackend}`} />}
      {has("sessions") && <SessionsPart key={of} told={told} of={of} address={address} />}
      {has("voice") && <Voice address={address} />}
    </>
  );
}

function Voice({ address }) {
  const voiceOf = useCallback(
    async (answer, audio) => new (await import("./remote_voice.js")).RemoteVoice(address, answer, audio),
    [address],
  );
  useProvide("remote-voice", voiceOf);
  return null;
}
