// A button that has a person choose a file.

import { useRef } from "react";

/**
 * `onFile` gets the file that was chosen; `name` names the field behind the button.
 * @param {{ accept: string, onFile: (file: File) => void, name?: string } & import("react").ComponentProps<"button">} props
 */
export function FileButton({ accept, onFile, name, ...rest }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  return (
    <>
      <button type="button" className="button" onClick={() => input.current?.click()} {...rest} />
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        aria-label={name}
        onChange={({ target }) => {
          if (target.files?.[0]) onFile(target.files[0]);
          // The same file can be chosen again once it is mended.
          target.value = "";
        }}
      />
    </>
  );
}
