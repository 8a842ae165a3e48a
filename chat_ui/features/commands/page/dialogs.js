// What loads when one of them is first opened, by the command that opens it.

export { ExportPage as exportPage } from "../../exporting/page/export_page.jsx";
export { Palette as palette } from "./palette.jsx";
export { LanguagePreferences as language, Preferences as preferences } from "../../../page/preferences/preferences.jsx";
export { ShareDialog as share } from "../../sharing/page/share_dialog.jsx";
export { SharedLinks as links } from "../../sharing/page/shared_links.jsx";
export { ShortcutList as shortcuts } from "./shortcut_list.jsx";
