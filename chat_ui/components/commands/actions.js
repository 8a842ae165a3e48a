// The words of each command, in the order of the palette. The `hints` are other words that find it.

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
import { t } from "../languages/language.js";

/** @typedef {{ name: string, sign: import("lucide-react").LucideIcon, label: string, hints?: string, values?: string[] }} Action */

// Translators: “hints” are not shown: they are words, in any order, that find a command by typing.
/** @returns {Action[]} */
export const conversationActions = () => [
  { name: "new-chat", sign: SquarePen, label: t("New chat"), hints: t("start conversation") },
  { name: "stop", sign: Square, label: t("Stop the answer"), hints: t("cancel end") },
  { name: "regenerate", sign: RefreshCw, label: t("Regenerate the last answer"), hints: t("retry again redo") },
  { name: "copy", sign: Copy, label: t("Copy the last answer"), hints: t("clipboard") },
  {
    name: "listen",
    sign: Volume2,
    label: t("Listen to the last answer, or stop"),
    hints: t("read aloud voice speech"),
  },
  {
    name: "sources",
    sign: Library,
    label: t("Sources of the last answer"),
    hints: t("citations references documents"),
  },
  {
    name: "thoughts",
    sign: ListTree,
    label: t("Thoughts of the last answer"),
    hints: t("steps searches prompts timing"),
  },
  { name: "dictate", sign: Mic, label: t("Dictate a question, or stop"), hints: t("microphone voice speech") },
  {
    name: "message",
    sign: TextCursorInput,
    label: t("Go to the message box"),
    hints: t("focus ask question write type"),
  },
];

/** @returns {Action[]} */
export const pageActions = () => [
  {
    name: "compare",
    sign: Columns2,
    label: t("Compare"),
    hints: t("side by side second arm two backends options versus"),
  },
  { name: "end-comparison", sign: Columns2, label: t("End the comparison"), hints: t("side by side second arm close") },
  {
    name: "conversations",
    sign: PanelLeft,
    label: t("Show or hide the list of conversations"),
    hints: t("history sidebar chats"),
  },
  {
    name: "export",
    sign: FileText,
    label: t("Export this conversation as a page…"),
    values: ["html"],
    hints: t("download save html print"),
  },
  {
    name: "export",
    sign: FileText,
    label: t("Export this conversation as Markdown"),
    values: ["markdown"],
    hints: t("download save text"),
  },
  {
    name: "export",
    sign: FileBraces,
    label: t("Export this conversation as JSON"),
    values: ["json"],
    hints: t("download save data"),
  },
  {
    name: "share-open",
    sign: Link2,
    label: t("Share a snapshot of this conversation…"),
    hints: t("link publish send copy"),
  },
  { name: "links", sign: Link2, label: t("Shared links"), hints: t("revoke snapshot publish") },
  { name: "present", sign: Presentation, label: t("Present"), hints: t("full screen demo projector show large") },
  {
    name: "script",
    sign: ListChecks,
    label: t("Presentation script…"),
    hints: t("demo steps notes clicker questions"),
  },
  { name: "settings", sign: Settings, label: t("Backend settings"), hints: t("url key model options connection") },
  { name: "add-backend", sign: Plus, label: t("Add a backend…"), hints: t("url new connection") },
  { name: "language", sign: Languages, label: t("Language…"), hints: t("translation english") },
  { name: "preferences", sign: SlidersHorizontal, label: t("Preferences"), hints: t("settings options") },
  {
    name: "theme",
    sign: Sun,
    label: t("Light colour theme"),
    values: ["light"],
    hints: t("mode day bright white appearance"),
  },
  {
    name: "theme",
    sign: Moon,
    label: t("Dark colour theme"),
    values: ["dark"],
    hints: t("mode night black appearance"),
  },
  {
    name: "theme",
    sign: Monitor,
    label: t("Colour theme of the system"),
    values: ["system"],
    hints: t("mode auto appearance"),
  },
  { name: "shortcuts", sign: Keyboard, label: t("Keyboard shortcuts"), hints: t("keys hotkeys help") },
];
