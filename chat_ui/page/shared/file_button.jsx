// A button that opens the file chooser.

import { useRef } from "react";
import { Button } from "./button.jsx";

/**
 * `onFiles` gets the chosen files, several if `multiple`; `name` names the field behind the `Shown` button.
 * @param {{ accept: string, onFiles: (files: File[]) => void, multiple?: boolean, name?: string,
 *   Shown?: import("react").ElementType } & import("react").ComponentProps<"button"> & Record<string, unknown>} props
 */
export function FileButton({ accept, onFiles, multiple, name, Shown = Button, ...rest }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  return (
    <>
      <Shown onClick={() => input.current?.click()} {...rest} />
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        aria-label={name}
        onChange={({ target }) => {
          if (target.files?.length) onFiles([...target.files]);
          // The same file can be chosen again after a correction.
          target.value = "";
        }}
      />
    </>
  );
}
