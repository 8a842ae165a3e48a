// The dialog that shares the current state of a conversation: its days, then the link.

import { useEffect, useId, useRef, useState } from "react";
import { ChoiceRow, GoesOut, useContents } from "../../exporting/page/export_page.jsx";
import { rich, t, tn } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { Button } from "../../../page/shared/button.jsx";
import { CopyText } from "../../../page/shared/copy_text.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { fetchedJson, useLoaded, request, wordsOf } from "../../../page/shared/loading.js";
import { addressOf, momentOf, readersInWords } from "./links.js";

const USUAL_DAYS = 7;

function Made({ link }) {
  const field = useRef(null);
  const id = useId();
  useEffect(() => field.current.focus(), []);
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {t("Link")}
      </label>
      <input
        ref={field}
        id={id}
        className="input"
        inputMode="url"
        readOnly
        value={addressOf(link)}
        onFocus={(event) => event.target.select()}
      />
      <p role="status" className="field-help">
        {t("Expires {time}.", { time: momentOf(link.ends_at) })}
      </p>
    </div>
  );
}

/** Shares the conversation `given` by links at the address `links`. */
export function ShareDialog({ links, given, onClose, onLinks }) {
  const { value: offer, problem } = useLoaded((signal) => fetchedJson(links, signal), [links]);
  const [wantedDays, setDays] = useState(USUAL_DAYS);
  const days = offer?.days.findLast((count) => count <= wantedDays) ?? offer?.days[0];
  const [chosen, setChosen] = useState({ thoughts: false, documents: false, backend: false });
  const known = useContents(`${links}${given.id}`, chosen);
  const [link, setLink] = useState(null);
  const [isMaking, setMaking] = useState(false);
  const [refusal, setRefusal] = useState("");
  const next = useRef(null);

  const make = () => {
    setMaking(true);
    setRefusal("");
    const { thoughts, documents } = chosen;
    request(links, "POST", { conversation: given.id, days, thoughts, documents })
      .then((response) => response.json())
      .then(setLink, (why) => setRefusal(wordsOf(why) ?? t("The link could not be created. Try again in a moment.")))
      .finally(() => setMaking(false));
  };
  const isReady = Boolean(offer) && !known.isOld && !known.problem && !isMaking;
  const afterwards = useRef(null);
  const leaveFor = (act) => {
    afterwards.current = act;
    onClose();
  };

  return (
    <FramedDialog
      maxWidth="34rem"
      title={t("Share…").replace("…", "")}
      description={
        <>
          {rich("A copy of “{title}” as it is now; later messages are not included.", {
            title: <bdi>{given.title}</bdi>,
          })}{" "}
          {offer && readersInWords(offer.readers)}
        </>
      }
      canCancel={!link}
      before={<Button onClick={() => leaveFor(onLinks)}>{t("Shared links")}</Button>}
      after={
        link ? (
          <CopyText text={addressOf(link)} words={t("Copy link")} isPrimary />
        ) : (
          <Button ref={next} isPrimary aria-disabled={!isReady} onClick={() => isReady && make()}>
            {t("Create link")}
          </Button>
        )
      }
      onOpened={(event) => {
        event.preventDefault();
        // In a low window, the title would scroll away.
        next.current.focus({ preventScroll: true });
      }}
      onClosed={() => afterwards.current?.()}
      onClose={onClose}
    >
      {!link && (
        <>
          <GoesOut known={known} chosen={chosen} onChoose={setChosen} namesBackends={false} />
          {offer && (
            <ChoiceRow
              legend={t("Link expires after")}
              values={offer.days.map((count) => [count, tn("1 day", "{count} days", count)])}
              chosen={days}
              onChoose={setDays}
            />
          )}
        </>
      )}
      {link && <Made link={link} />}
      <Alert className="field-error" words={refusal || problem} />
    </FramedDialog>
  );
}
