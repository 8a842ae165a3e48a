// The dialog Your files: uploads, and the list of the stored files.

import { useState } from "react";
import { announce } from "../../../page/announcing/announcer.jsx";
import { t } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { Button } from "../../../page/shared/button.jsx";
import { FileButton } from "../../../page/shared/file_button.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { request, useLoaded, wordsOf } from "../../../page/shared/loading.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import { TYPES, add, drop, reload, sentOf, start, useUploads } from "./uploads.js";
import rules from "./your_files.css?inline";

adopt(rules);

// A button about the file `name`.
const Act = ({ words, name, ...rest }) => (
  <Button aria-label={t("{act}: {name}", { act: words, name })} {...rest}>
    {words}
  </Button>
);

const Row = ({ name, about, children }) => (
  <li>
    <div className="own-file">
      <bdi>{name}</bdi>
      {about}
    </div>
    <div className="dialog-buttons">{children}</div>
  </li>
);

function Upload({ upload }) {
  const { state, sent, words, cancel } = upload;
  const { name, size } = upload.file;
  const about = {
    asking: t("A file of this name is already stored. Replace it?"),
    waiting: t("Waiting for the other uploads."),
    sending: sentOf(upload),
    indexing: t("Indexing… This can take a few minutes."),
    unlisted: t("Uploaded. Pictures do not appear in the list."),
    failed: words,
  }[state];
  const isOn = state === "sending" || state === "indexing";
  const isEnded = state === "failed" || state === "unlisted";
  return (
    <Row
      name={name}
      about={
        <>
          <span className={state === "failed" ? "field-error" : "field-help"}>{about}</span>
          {isOn && <progress max={size} value={state === "sending" ? sent : size} aria-label={name} />}
        </>
      }
    >
      <Act words={isEnded ? t("Hide") : t("Cancel")} name={name} onClick={() => drop(upload)} />
      {state === "asking" && <Act isPrimary words={t("Replace")} name={name} onClick={() => start(upload)} />}
      {state === "failed" && cancel && <Act words={t("Try again")} name={name} onClick={() => start(upload)} />}
    </Row>
  );
}

function StoredFile({ name, onDelete }) {
  // `kept` after Cancel or a failure.
  const [state, setState] = useState("");
  const words = { asking: t("Delete this file? Answers will no longer use it."), deleting: t("Deleting…") }[state];
  const go = () => {
    setState("deleting");
    onDelete().finally(() => setState("kept"));
  };
  return (
    <Row name={name} about={<Alert className="field-help" words={words} />}>
      {state === "asking" && <Act autoFocus words={t("Cancel")} name={name} onClick={() => setState("kept")} />}
      {state !== "deleting" && (
        <Act
          key={state}
          autoFocus={state === "kept"}
          className={state === "asking" ? "button button-primary danger" : "button danger"}
          words={t("Delete")}
          name={name}
          onClick={state === "asking" ? go : () => setState("asking")}
        />
      )}
    </Row>
  );
}

/** The files of a person at `address`, stored by the backend `name`. */
export function YourFilesDialog({ name, address, onClose }) {
  const { uploads, ended } = useUploads();
  const load = (signal) =>
    request(address, "GET", undefined, { signal })
      .then((response) => response.json())
      .catch((why) => ({ problem: wordsOf(why) ?? t("The list could not be loaded.") }));
  const { value: list, setValue: setList } = useLoaded(load, [address, ended]);
  const [refusal, setRefusal] = useState("");
  const own = uploads.filter((upload) => upload.address === address);

  const remove = (file) =>
    request(`${address}&name=${encodeURIComponent(file)}`, "DELETE").then(
      () => {
        setRefusal("");
        setList((now) => ({ ...now, names: now.names?.filter((one) => one !== file) }));
        announce(t("{name} is deleted.", { name: file }));
      },
      (why) => setRefusal(wordsOf(why) ?? t("The file could not be deleted. Try again in a moment.")),
    );
  const onDrop = (event) => {
    event.preventDefault();
    if (list?.names) add(address, [...event.dataTransfer.files], list);
  };
  return (
    <FramedDialog
      className="your-files"
      maxWidth="36rem"
      title={t("Your files")}
      description={t("Only you can search these files. {name} stores them.", { name })}
      frame={{ onDragOver: (event) => event.preventDefault(), onDrop }}
      onClose={onClose}
    >
      {list?.names && (
        <div className="dialog-buttons">
          <FileButton isPrimary accept={TYPES} multiple onFiles={(files) => add(address, files, list)}>
            {t("Upload files")}
          </FileButton>
          <span className="field-help">{t("Or drop files here.")}</span>
        </div>
      )}
      <Alert className="field-error" words={refusal} />
      <Alert className="field-error" words={list?.problem}>
        <Button onClick={reload}>{t("Try again")}</Button>
      </Alert>
      {own.length > 0 && (
        <ul aria-label={t("Uploads")}>
          {own.map((upload) => (
            <Upload key={upload.key} upload={upload} />
          ))}
        </ul>
      )}
      {list?.names?.length === 0 && <p>{t("No files yet.")}</p>}
      <ul aria-label={t("Your files")}>
        {list?.names?.map((file) => (
          <StoredFile key={file} name={file} onDelete={() => remove(file)} />
        ))}
      </ul>
    </FramedDialog>
  );
}
