// Lazily loaded dialogs.

export { ShareDialog as share } from "./share_dialog.jsx";
export { SharedLinks as links } from "./shared_links.jsx";
