// The card of an agent's requests: the acts in words with their arguments, and the buttons of a decision.

import { useEffect, useId, useRef, useState } from "react";
import { rich, t, tn } from "../../../page/languages/language.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { isOn, matches } from "../../../page/commands/shortcuts.js";
import { useConnection } from "../../../page/connection/connection.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { Button } from "../../../page/shared/button.jsx";
import { fetchedJson, useLoaded } from "../../../page/shared/loading.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import { RequestForm } from "./request_form.jsx";
import rules from "./request_card.css?inline";

adopt(rules);

// From this number of equal requests on, an approval needs a second press.
const OFTEN = 3;
// Characters of decisions; the server drops events with longer text.
const MOST = 256 * 1024;
const WORDS = { type: "string", maxLength: 100_000 };

// A and D press the buttons of the unfolded request that has the focus.
function press({ nativeEvent, target, repeat }) {
  if (repeat || target.matches("input, textarea, select") || !isOn("decide")) return;
  const key = ["A", "D"].find((one) => matches(nativeEvent, { key: one }));
  const part = target.closest(".request-part:is(section, [open])");
  part?.querySelector(`[aria-keyshortcuts="${key}"]:enabled`)?.click();
}

// In words of the page, which a tool's name cannot imitate.
const wordsOf = ({ title, message }) => (title ? t("Run “{tool}”", { tool: title }) : message || t("Request"));

// A request with the buttons that `verdicts` allow. `onChange` tells that a former decision is outdated.
function Part({ request, backend, chosen, isOff, onDecide, onChange }) {
  const { kind, tool, server, message, title, schema, values, verdicts, may } = request;
  const [isEditing, setEditing] = useState(false);
  const reason = useRef(null);
  const form = useRef(null);
  const id = useId();
  const can = (verdict) => verdicts.includes(verdict);
  const withForm = (verdict) => () => form.current.read().map((value) => onDecide({ verdict, value }));
  const approve = isEditing ? withForm("approved") : () => onDecide({ verdict: "approved" });
  const edit = () => {
    setEditing(!isEditing);
    onChange();
  };
  const deny = () => onDecide({ verdict: "denied", reason: reason.current?.value.trim() ?? "" });
  const button = (verdict, words, act, key = undefined) =>
    can(verdict) && (
      <Button aria-pressed={chosen && chosen === verdict} aria-keyshortcuts={key} disabled={isOff} onClick={act}>
        {words}
      </Button>
    );
  return (
    <>
      {message && title && (
        <blockquote className="request-message" dir="auto">
          {message}
        </blockquote>
      )}
      <p className="field-help request-facts">
        {tool && <span>{rich("Tool: {tool}", { tool: <code>{tool}</code> })}</span>}
        {server && <span>{rich("Server: {server}", { server: <bdi>{server}</bdi> })}</span>}
        <span>{rich("Asked by {backend}", { backend: <bdi>{backend}</bdi> })}</span>
      </p>
      {request.lapsed && <p className="field-error">{t("This request has lapsed. Ask again.")}</p>}
      {kind === "result" && <p>{t("This page does not run tools. Enter the result of the tool, or set it aside.")}</p>}
      {!isEditing && <div dangerouslySetInnerHTML={{ __html: request.arguments }} />}
      {isEditing && <RequestForm ref={form} schema={schema} values={values} />}
      {can("answered") && (
        <RequestForm ref={form} schema={(kind === "input" && schema) || WORDS} onSubmit={withForm("answered")} />
      )}
      {can("denied") && may.includes("reason") && (
        <div className="field">
          <label className="field-label" htmlFor={id}>
            {t("Reason to deny (optional)")}
          </label>
          <input ref={reason} id={id} className="input" autoComplete="off" maxLength={2000} dir="auto" />
        </div>
      )}
      <div className="dialog-buttons">
        {button("answered", t("Send"), withForm("answered"))}
        {button("approved", isEditing ? t("Approve changes") : t("Approve"), approve, "A")}
        {button("denied", t("Deny"), deny, "D")}
        {button("set_aside", t("Set aside"), () => onDecide({ verdict: "set_aside" }))}
        {can("approved") && may.includes("edit") && (
          <Button disabled={isOff} onClick={edit}>
            {isEditing ? t("Cancel") : t("Edit")}
          </Button>
        )}
      </div>
    </>
  );
}

function Card({ pause, attempt, isAwaited, onDecide }) {
  const { requests, joint, refusal, times, backend } = pause;
  const [chosen, setChosen] = useState(new Map());
  const [opened, setOpened] = useState([]);
  const [isSending, setSending] = useState(false);
  const [notice, setNotice] = useState("");
  const { isConnected, connect } = useConnection();
  const id = useId();
  const count = requests.length;
  const isAlone = count === 1;
  const isQuestion = count > 0 && requests.every(({ kind }) => kind !== "approval");
  const heading = isQuestion ? t("The agent asks a question") : t("The agent asks for your approval");

  useEffect(() => setSending(false), [attempt]);
  useEffect(() => {
    const words = isAlone ? wordsOf(requests[0]) : tn("1 request", "{count} requests", count);
    const asked = t("Asked by {backend}", { backend });
    if (isAwaited) announce(`${heading}: ${words}. ${asked}.`);
  }, []);

  const send = (decisions) => {
    if (JSON.stringify(decisions).length > MOST) {
      setNotice(t("This request is too long to be answered here."));
      return;
    }
    const again = t("Press again to approve it.");
    const isRepeated = times >= OFTEN && decisions.some(({ verdict }) => verdict === "approved");
    if (isConnected() && (!isRepeated || notice === again)) {
      setNotice("");
      setSending(true);
      onDecide(decisions);
      return;
    }
    // Without a connection, a decision could be sent much later.
    setNotice(isConnected() ? again : t("Offline: the decision was not sent. Try again."));
    connect();
  };
  const canAll = (verdict) => requests.every(({ verdicts }) => verdicts.includes(verdict));
  const sendAll = (verdict) => () => send(requests.map(({ id: interrupt }) => ({ interrupt, verdict })));
  const forget = ({ id }) => setChosen(new Map([...chosen].filter(([interrupt]) => interrupt !== id)));
  const part = (request, onDecide) => (
    <Part
      request={refusal || (joint && !isAlone) ? { ...request, verdicts: [] } : request}
      backend={backend}
      chosen={isAlone ? undefined : (chosen.get(request.id)?.verdict ?? "none")}
      isOff={isSending}
      onDecide={(decision) => onDecide({ interrupt: request.id, ...decision })}
      onChange={() => forget(request)}
    />
  );
  const choose = (decision) => setChosen(new Map(chosen).set(decision.interrupt, decision));
  const isUnread = opened.length < count;

  return (
    <section
      className={`request screen-only ${isAlone ? "request-part" : ""}`}
      aria-labelledby={id}
      aria-busy={isSending}
      tabIndex={-1}
      onKeyDown={press}
      // A double click is not the second press of a repeated request.
      onClickCapture={(event) => event.detail > 1 && event.stopPropagation()}
    >
      <h3 id={id}>{heading}</h3>
      {times >= OFTEN && (
        <p className="field-error">
          {t("The agent has asked the same {count} times. Deny the request, or ask in other words.", { count: times })}
        </p>
      )}
      {isAlone && (
        <>
          <p className="request-title">{wordsOf(requests[0])}</p>
          {part(requests[0], (decision) => send([decision]))}
        </>
      )}
      {!isAlone &&
        requests.map((request, at) => (
          <details
            key={at}
            className="request-part"
            onToggle={() => setOpened([...new Set([...opened, at])])}
            onInput={() => forget(request)}
          >
            <summary dir="auto">
              {wordsOf(request)} {chosen.has(request.id) && "✓"}
            </summary>
            {part(request, choose)}
          </details>
        ))}
      {refusal && <p className="field-help">{refusal}</p>}
      {count > 1 && !refusal && (
        <>
          {joint && <p className="field-help">{t("This backend takes one decision for all requests.")}</p>}
          {isUnread && canAll("approved") && <p className="field-help">{t("Open each request to approve all.")}</p>}
          <div className="dialog-buttons">
            {!joint && (
              <Button isPrimary disabled={isSending || chosen.size < count} onClick={() => send([...chosen.values()])}>
                {t("Send {count} decisions", { count })}
              </Button>
            )}
            {canAll("approved") && (
              <Button disabled={isSending || isUnread} onClick={sendAll("approved")}>
                {t("Approve all {count}", { count })}
              </Button>
            )}
            {canAll("denied") && (
              <Button disabled={isSending} onClick={sendAll("denied")}>
                {t("Deny all")}
              </Button>
            )}
          </div>
        </>
      )}
      <Alert className="field-error" words={notice} />
      {isSending && <p className="field-help">{t("Sending…")}</p>}
    </section>
  );
}

/** @param {{ address: string, attempt: string, isAwaited: boolean, onDecide: (decisions: object[]) => void }} props */
export function RequestCard({ address, attempt, isAwaited, onDecide }) {
  const { value: pause, problem } = useLoaded((signal) => fetchedJson(`${address}/request`, signal), [address]);
  if (!pause) return <Alert className="field-error" words={problem} />;
  return <Card {...{ pause, attempt, isAwaited, onDecide }} />;
}
