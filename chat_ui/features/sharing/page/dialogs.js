// Dialogs that load when one of them is first opened.

export { ShareDialog as share } from "./share_dialog.jsx";
export { SharedLinks as links } from "./shared_links.jsx";
