// Dialogs that load when one of them is first opened, by the command that opens it.

export { Palette as palette } from "./palette.jsx";
export { LanguagePreferences as language, Preferences as preferences } from "../../../page/preferences/preferences.jsx";
export { ShortcutList as shortcuts } from "./shortcut_list.jsx";
