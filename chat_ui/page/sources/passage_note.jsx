// Notes on a passage above its document: its pages, or that it was not found. Loaded with the first document.

import { t, tn } from "../languages/language.js";

const unmarked = () => t("The passage was not found for certain, so nothing is marked.");

/**
 * The words on the marks of a passage beside a page, if any, and the other page that they name.
 * @param {Map<number, unknown> | null} marks - by page; null without a passage
 * @param {number} number
 * @returns {{ words: string, page?: number }}
 */
export function noteOf(marks, number) {
  const page = [...(marks?.keys() ?? [])].find((one) => one !== number);
  if (!page) return { words: marks?.size === 0 ? unmarked() : "" };
  if (!marks.has(number)) return { words: t("The passage is on page {page}.", { page }), page };
  if (page < number) return { words: t("The passage begins on page {page}.", { page }), page };
  return { words: t("The passage continues on page {page}.", { page }), page };
}

const Note = ({ children }) => (
  <p role="note" className="document-note">
    {children}
  </p>
);

/** The note on a text with this number of marks. */
export const textNotes = (marks) => marks === 0 && <Note>{unmarked()}</Note>;

/** The notes on a page of a PDF. `named` is the page that its source names. */
export function pdfNotes({ marks, named, pages }, number, onPage) {
  const { words, page } = noteOf(marks, number);
  return (
    <>
      {named > pages && number === pages && (
        <Note>
          {tn(
            "The source names page {page}, but this document has one page.",
            "The source names page {page}, but this document has {count} pages.",
            pages,
            { page: named },
          )}
        </Note>
      )}
      {words && (
        <Note>
          {page ? (
            <button type="button" className="link-button" onClick={() => onPage(page)}>
              {words}
            </button>
          ) : (
            words
          )}
        </Note>
      )}
    </>
  );
}
