// Images and other files for the next question: chosen, pasted or dropped, uploaded immediately, shown until sent.

import { X, createLucideIcon } from "lucide-react";
import { useRef, useState } from "react";
import { sizeOf, t, tn } from "../languages/language.js";
import { FileButton } from "../shared/file_button.jsx";
import { IconButton } from "../shared/button.jsx";
import { wordsOf } from "../shared/loading.js";
import { Menu, leavingFor } from "../shared/menu.jsx";
import { announce } from "../announcing/announcer.jsx";

// For the file chooser, by the beginnings of media types.
const ACCEPT = {
  "image/": "image/png,image/jpeg,image/gif,image/webp",
  "text/": "text/*,.md",
  "application/vnd.openxmlformats-officedocument.": ".docx,.xlsx,.pptx",
};

const atMost = (most) =>
  tn("Attach at most one file to a question.", "Attach at most {count} files to a question.", most);

// A file without a type is an image that an earlier version of the page stored.
function Preview({ file: { name, media_type: type = "image/", size, line, preview, address } }) {
  if (type.startsWith("image/")) return <img src={preview ?? address} alt={name} className="attached-image" />;
  const sign = /csv|sheet/.test(type) ? "table" : /presentation/.test(type) ? "presentation" : "file-text";
  // A local file is not a link: opened in a tab, its HTML would be a page of this origin.
  const Card = address ? "a" : "span";
  return (
    <Card className="attached-file" href={address} download={address && name} title={name}>
      <span className={`icon icon-${sign}`} aria-hidden />
      <bdi>{name}</bdi>
      <small>{sizeOf(size)}</small>
      {line && <small dir="auto">{line}</small>}
    </Card>
  );
}

export const AttachedFiles = ({ files }) =>
  files.length > 0 && (
    <div className="attached">
      {files.map((file) => (
        <Preview key={file.id} file={file} />
      ))}
    </div>
  );

/** `accepts` are the beginnings of the media types that the backend takes. */
export function useAttachments(address, accepts, most, onRemoved) {
  const [images, setImages] = useState([]);
  const [problem, setProblem] = useState("");
  const keys = useRef(0);

  const change = (key, changed) =>
    setImages((kept) => kept.map((image) => (image.key === key ? { ...image, ...changed } : image)));
  const remove = (image) => {
    URL.revokeObjectURL(image.preview);
    setImages((kept) => kept.filter((other) => other.key !== image.key));
    announce(t("{name} was removed.", { name: image.name }));
    onRemoved();
  };
  const send = async (image, file) => {
    try {
      const response = await fetch(`${address}/?name=${encodeURIComponent(image.name)}`, {
        method: "POST",
        body: file,
      });
      // A proxy in between has its own pages.
      const isText = response.headers.get("Content-Type")?.startsWith("text/plain");
      if (!response.ok) throw isText ? await response.text() : response.status;
      change(image.key, await response.json());
      announce(t("{name} is attached.", { name: image.name }));
    } catch (why) {
      const words = t("{name} could not be sent to this page's server. Try again.", { name: image.name });
      setProblem(wordsOf(why) ?? words);
      setImages((kept) => kept.filter((other) => other.key !== image.key));
    }
  };
  const add = (files) => {
    if (!files.length) return;
    if (!accepts.length) {
      setProblem(t("This backend does not take files with a question."));
      return;
    }
    const room = Math.max(0, most - images.length);
    setProblem(files.length > room ? atMost(most) : "");
    for (const file of [...files].slice(0, room)) {
      const { name, size, type } = file;
      const preview = URL.createObjectURL(file);
      const image = { key: keys.current++, name: name || t("image"), size, media_type: type, preview, id: "" };
      setImages((kept) => [...kept, image]);
      send(image, file);
    }
  };
  const giveBack = (named) => {
    const again = named.map((image) => ({ ...image, key: keys.current++, preview: `${address}/${image.id}` }));
    setImages((kept) => [...again, ...kept]);
  };
  const clear = () => {
    for (const image of images) URL.revokeObjectURL(image.preview);
    setImages([]);
  };
  const surplus = images.length - most;
  const tooMany = surplus > 0 && t("{limit} Remove {count}, then send it.", { limit: atMost(most), count: surplus });
  const takes = ({ media_type: type = "image/" }) => accepts.some((beginning) => type.startsWith(beginning));
  const unfit = images.find((image) => image.id && !takes(image));
  const unsendable =
    (unfit && t("This backend does not take {name}. Remove it, then send the question.", { name: unfit.name })) ||
    tooMany;
  return {
    add,
    giveBack,
    clear,
    unsendable,
    problem: unsendable || problem,
    sending: images.some((image) => !image.id),
    named: () => images.map(({ key, preview, ...image }) => image),
    list: images.length > 0 && (
      <ul className="attached" aria-label={t("Attached files")}>
        {images.map((image) => (
          <li key={image.key} aria-busy={!image.id}>
            <Preview file={image} />
            <IconButton
              label={t("Remove {name}", { name: image.name })}
              title={t("Remove")}
              onClick={() => remove(image)}
              sign={X}
            />
          </li>
        ))}
      </ul>
    ),
  };
}

const Clip = createLucideIcon("Clip", [
  ["path", { d: "m21 11-9 9a6 6 0 0 1-9-9l9-9a4 4 0 0 1 6 6l-9 9a2 2 0 0 1-3-3l8-8", key: "clip" }],
]);

/**
 * @param {{ attaches: boolean, entries: { label: string, onSelect: () => void }[] }
 *   & import("react").ComponentProps<typeof IconButton>} props
 */
function ClipMenu({ attaches, entries, onClick, ...button }) {
  const opener = useRef(null);
  const items = [...(attaches ? [{ label: t("Attach to this question"), onSelect: onClick }] : []), ...entries];
  return (
    <Menu
      align="start"
      button={<IconButton ref={opener} {...button} />}
      items={items.map((item) => ({ ...item, onSelect: leavingFor(opener, item.onSelect) }))}
    />
  );
}

/** The paper clip, if the backend `accepts` files; with `entries` (`{label, onSelect}`) it opens a menu. */
export function AttachButton({ accepts, entries, onFiles }) {
  const attaches = accepts.length > 0;
  if (!attaches && !entries) return null;
  return (
    <span>
      <FileButton
        Shown={entries ? ClipMenu : IconButton}
        {...(entries && { attaches, entries })}
        label={accepts.join() === "image/" && !entries ? t("Attach images") : t("Attach files")}
        className="attach"
        sign={Clip}
        size={18}
        accept={accepts.map((beginning) => ACCEPT[beginning] ?? beginning).join()}
        multiple
        onFiles={onFiles}
      />
    </span>
  );
}
