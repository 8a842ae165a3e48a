// Lazily loaded dialogs, by their commands.

export { Palette as palette } from "./palette.jsx";
export { LanguagePreferences as language, Preferences as preferences } from "../../../page/preferences/preferences.jsx";
export { ShortcutList as shortcuts } from "./shortcut_list.jsx";
