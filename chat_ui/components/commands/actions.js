// The words of each command, in the order of the palette. The `hints` are other words that find it.

import {
  Copy,
  FileBraces,
  FileText,
  Keyboard,
  Library,
  ListTree,
  Monitor,
  Moon,
  PanelLeft,
  Plus,
  RefreshCw,
  Settings,
  SlidersHorizontal,
  Square,
  SquarePen,
  Sun,
  TextCursorInput,
} from "lucide-react";

/** @typedef {{ name: string, sign: import("lucide-react").LucideIcon, label: string, hints?: string, values?: string[] }} Action */

/** @type {Action[]} */
export const OF_CONVERSATION = [
  { name: "new-chat", sign: SquarePen, label: "New chat", hints: "start conversation" },
  { name: "stop", sign: Square, label: "Stop the answer", hints: "cancel end" },
  { name: "regenerate", sign: RefreshCw, label: "Regenerate the last answer", hints: "retry again redo" },
  { name: "copy", sign: Copy, label: "Copy the last answer", hints: "clipboard" },
  { name: "sources", sign: Library, label: "Sources of the last answer", hints: "citations references documents" },
  { name: "thoughts", sign: ListTree, label: "Thoughts of the last answer", hints: "steps searches prompts timing" },
  { name: "message", sign: TextCursorInput, label: "Go to the message box", hints: "focus ask question write type" },
];

/** @type {Action[]} */
export const OF_PAGE = [
  {
    name: "conversations",
    sign: PanelLeft,
    label: "Show or hide the list of conversations",
    hints: "history sidebar chats",
  },
  {
    name: "export",
    sign: FileText,
    label: "Export this conversation as a page",
    values: ["html"],
    hints: "download save html print",
  },
  {
    name: "export",
    sign: FileText,
    label: "Export this conversation as Markdown",
    values: ["markdown"],
    hints: "download save text",
  },
  {
    name: "export",
    sign: FileBraces,
    label: "Export this conversation as JSON",
    values: ["json"],
    hints: "download save data",
  },
  { name: "settings", sign: Settings, label: "Backend settings", hints: "url key model options connection" },
  { name: "add-backend", sign: Plus, label: "Add a backend…", hints: "url new connection" },
  { name: "preferences", sign: SlidersHorizontal, label: "Preferences", hints: "settings options" },
  {
    name: "theme",
    sign: Sun,
    label: "Light colour theme",
    values: ["light"],
    hints: "mode day bright white appearance",
  },
  { name: "theme", sign: Moon, label: "Dark colour theme", values: ["dark"], hints: "mode night black appearance" },
  {
    name: "theme",
    sign: Monitor,
    label: "Colour theme of the system",
    values: ["system"],
    hints: "mode auto appearance",
  },
  { name: "shortcuts", sign: Keyboard, label: "Keyboard shortcuts", hints: "keys hotkeys help" },
];
