// The labels of commands, in the order of the palette. `hints` are further search terms.

import {
  Columns2,
  Copy,
  FileBraces,
  FileText,
  Keyboard,
  Languages,
  Library,
  Link2,
  ListTree,
  ListChecks,
  Mic,
  Monitor,
  Moon,
  PanelLeft,
  Plus,
  Presentation,
  RefreshCw,
  Settings,
  SlidersHorizontal,
  Square,
  SquarePen,
  Sun,
  TextCursorInput,
  Volume2,
} from "lucide-react";
import { t } from "../../../page/languages/language.js";

/** @returns {{ name: string, sign: import("lucide-react").LucideIcon, label: string, hints: string, values: string[] }} */
const action = (name, sign, label, hints, ...values) => ({ name, sign, label, hints, values });

// Translators: “hints” are not shown: they are words, in any order, that find a command by typing.
export const conversationActions = () => [
  action("new-chat", SquarePen, t("New chat"), t("start conversation")),
  action("stop", Square, t("Stop the answer"), t("cancel end")),
  action("regenerate", RefreshCw, t("Regenerate the last answer"), t("retry again redo")),
  action("copy", Copy, t("Copy the last answer"), t("clipboard")),
  action("listen", Volume2, t("Listen to the last answer, or stop"), t("read aloud voice speech")),
  action("sources", Library, t("Sources of the last answer"), t("citations references documents")),
  action("thoughts", ListTree, t("Thoughts of the last answer"), t("steps searches prompts timing")),
  action("dictate", Mic, t("Dictate a question, or stop"), t("microphone voice speech")),
  action("message", TextCursorInput, t("Go to the message box"), t("focus ask question write type")),
];

export const pageActions = () => [
  action("compare", Columns2, t("Compare"), t("side by side second column two backends options versus")),
  action("end-comparison", Columns2, t("End comparison"), t("side by side second column close")),
  action("conversations", PanelLeft, t("Show or hide the list of conversations"), t("history sidebar chats")),
  action("export-open", FileText, t("Export this conversation as a page…"), t("download save html print")),
  action("export-open", FileText, t("Export this conversation as Markdown"), t("download save text"), "markdown"),
  action("export-open", FileBraces, t("Export this conversation as JSON"), t("download save data"), "json"),
  action("share-open", Link2, t("Share a snapshot of this conversation…"), t("link publish send copy")),
  action("links", Link2, t("Shared links"), t("revoke snapshot publish")),
  action("present", Presentation, t("Present"), t("full screen demo projector show large")),
  action("script", ListChecks, t("Presentation script…"), t("demo steps notes clicker questions")),
  action("settings", Settings, t("Backend settings"), t("url key model options connection")),
  action("add-backend", Plus, t("Add a backend…"), t("url new connection")),
  action("language", Languages, t("Language…"), t("translation english")),
  action("preferences", SlidersHorizontal, t("Preferences"), t("settings options")),
  action("theme", Sun, t("Light colour theme"), t("mode day bright white appearance"), "light"),
  action("theme", Moon, t("Dark colour theme"), t("mode night black appearance"), "dark"),
  action("theme", Monitor, t("System colour theme"), t("mode auto appearance"), "system"),
  action("shortcuts", Keyboard, t("Keyboard shortcuts"), t("keys hotkeys help")),
];
