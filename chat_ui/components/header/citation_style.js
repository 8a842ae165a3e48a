// How citations look, for this reader: as numbers, or with the names of their sources where the screen is wide.

const KEY = "chat-ui-citations";

export const STYLES = { numbers: "Numbers", names: "Numbers and names" };

export const citationStyle = () => localStorage.getItem(KEY) ?? "numbers";

const show = () => {
  document.documentElement.dataset.citations = citationStyle();
};

export function setCitationStyle(style) {
  localStorage.setItem(KEY, style);
  show();
}

if (globalThis.document) show();
