// Gives the tests a page, as a browser has one, and has scripts import the packages that are installed here.

import { plugin } from "bun";
import { GlobalRegistrator } from "@happy-dom/global-registrator";

GlobalRegistrator.register({ url: "http://localhost/" });
document.documentElement.lang = "en";

const PACKAGES = [
  "react",
  "react/jsx-runtime",
  "react/jsx-dev-runtime",
  "react-router",
  "lucide-react",
  "match-sorter",
  "diff",
];

// A package that requires another one does so at once: nothing may be left to be loaded by then.
const installed = new Map();
for (const name of PACKAGES) installed.set(name, { ...(await import(Bun.resolveSync(name, import.meta.dir))) });

plugin({
  name: "installed packages",
  setup(build) {
    for (const [name, exports] of installed) build.module(name, () => ({ exports, loader: "object" }));
  },
});
