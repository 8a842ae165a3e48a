// The services of the deployment behind the backend in use, as far as the deployment has them.

import { useCallback, useMemo } from "react";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { t } from "../../../page/languages/language.js";
import { fetchedJson, useLoaded } from "../../../page/shared/loading.js";
import { useProvide } from "../../../page/shared/provided.js";
import { SessionsPart } from "./sessions_part.jsx";

export function Deployment({ address, of, isEdited }) {
  const ofBackend = `?of=${encodeURIComponent(of)}`;
  const load = async (signal) => of && { of, ...(await fetchedJson(`${address}${ofBackend}`, signal)) };
  const { value: told } = useLoaded(load, [address, of]);
  const has = (service) => told?.of === of && told.services.includes(service);
  return (
    <>
      {has("files") && <YourFiles name={told.name} address={`${address}files${ofBackend}`} />}
      {has("sessions") && <SessionsPart key={of} told={told} of={of} address={address} isEdited={isEdited} />}
      {has("voice") && <Voice address={address} />}
    </>
  );
}

function YourFiles({ name, address }) {
  const [dialog, open] = useDialogs(() => import("./your_files_dialog.jsx"));
  const entries = useMemo(
    () => [{ label: t("Your files"), onSelect: () => open("YourFilesDialog", { name, address }) }],
    [name, address],
  );
  useProvide("attach-menu", entries);
  return dialog;
}

function Voice({ address }) {
  const voiceOf = useCallback(
    async (answer, audio) => new (await import("./remote_voice.js")).RemoteVoice(address, answer, audio),
    [address],
  );
  useProvide("remote-voice", voiceOf);
  return null;
}
