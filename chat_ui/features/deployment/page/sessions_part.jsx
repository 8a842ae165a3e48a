// The deployment's conversations in the list, and the words below an answer that was not saved there.

import { useEffect, useMemo, useState } from "react";
import { needed, request } from "../../../page/shared/loading.js";
import { useProvide, useProvided } from "../../../page/shared/provided.js";

function Section(props) {
  const [loaded, setLoaded] = useState(null);
  useEffect(() => {
    needed(() => import("./past_sessions.jsx")).then(setLoaded);
  }, []);
  return loaded && <loaded.PastSessions {...props} />;
}

export function SessionsPart({ told: { name }, of, address, isEdited }) {
  // The settings may have another key after they were open.
  const section = useMemo(
    () => (props) => <Section key={of} address={address} of={of} name={name} {...props} />,
    [address, of, name, isEdited],
  );
  useProvide("list-section", section);
  const unsaved = useMemo(() => `${address}unsaved?of=${encodeURIComponent(of)}&answer=`, [address, of]);
  useProvide("unsaved", unsaved);
  return null;
}

/** The reason why the ended answer of that id was not saved at the deployment, told once. */
export function UnsavedThere({ answer }) {
  const address = useProvided("unsaved");
  const [words, setWords] = useState("");
  useEffect(() => {
    if (!address) return undefined;
    const leave = new AbortController();
    request(address + encodeURIComponent(answer), "GET", undefined, { signal: leave.signal })
      .then((response) => response.text())
      .then(setWords, () => {});
    return () => leave.abort();
  }, [address, answer]);
  return (
    words && (
      <p role="alert" className="callout" style={{ flexBasis: "100%", marginInlineStart: "var(--space-2)" }}>
        {words}
      </p>
    )
  );
}
