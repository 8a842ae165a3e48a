// Images for the next question: chosen, pasted or dropped, uploaded immediately, shown until sent.

import { X, createLucideIcon } from "lucide-react";
import { useRef, useState } from "react";
import { t, tn } from "../languages/language.js";
import { FileButton } from "../shared/file_button.jsx";
import { IconButton } from "../shared/button.jsx";
import { announce } from "../announcing/announcer.jsx";

const atMost = (most) =>
  tn("Attach at most one image to a question.", "Attach at most {count} images to a question.", most);

export function useAttachments(address, taken, most, onRemoved) {
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
      if (!response.ok) throw new Error(await response.text());
      change(image.key, { id: (await response.json()).id });
      announce(t("{name} is attached.", { name: image.name }));
    } catch (error) {
      setProblem(
        error instanceof TypeError
          ? t("{name} could not be sent to this page's server. Try again.", { name: image.name })
          : error.message,
      );
      setImages((kept) => kept.filter((other) => other.key !== image.key));
    }
  };
  const add = (files) => {
    if (!files.length) return;
    if (!taken) {
      setProblem(t("This backend does not take images."));
      return;
    }
    const room = most - images.length;
    setProblem(files.length > room ? atMost(most) : "");
    for (const file of [...files].slice(0, room)) {
      const image = { key: keys.current++, name: file.name || t("image"), preview: URL.createObjectURL(file), id: "" };
      setImages((kept) => [...kept, image]);
      send(image, file);
    }
  };
  const giveBack = (named) => {
    const again = named.map(({ id, name }) => ({ key: keys.current++, id, name, preview: `${address}/${id}` }));
    setImages((kept) => [...again, ...kept]);
  };
  const clear = () => {
    for (const image of images) URL.revokeObjectURL(image.preview);
    setImages([]);
  };
  const tooMany =
    images.length > most &&
    t("{limit} Remove {count}, then send it.", { limit: atMost(most), count: images.length - most });
  return {
    add,
    giveBack,
    clear,
    tooMany,
    problem: tooMany || problem,
    sending: images.some((image) => !image.id),
    named: () => images.map(({ id, name }) => ({ id, name })),
    list: images.length > 0 && (
      <ul className="attached" aria-label={t("Attached images")}>
        {images.map((image) => (
          <li key={image.key} aria-busy={!image.id}>
            <img src={image.preview} alt={image.name} className="attached-image" />
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

export const AttachButton = ({ onFiles }) => (
  <span>
    <FileButton
      Shown={IconButton}
      label={t("Attach images")}
      className="attach"
      sign={Clip}
      size={18}
      accept="image/png,image/jpeg,image/gif,image/webp"
      multiple
      onFiles={onFiles}
    />
  </span>
);
