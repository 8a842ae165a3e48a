// Gives the tests a page, as a browser has one, and has scripts import the packages that are installed here.

import { plugin } from "bun";
import { GlobalRegistrator } from "@happy-dom/global-registrator";

// The clock that tests hold is that of Bun's own timers.
const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
GlobalRegistrator.register({ url: "http://localhost/" });
Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
document.documentElement.lang = "en";
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

const PACKAGES = [
  "react",
  "react/jsx-runtime",
  "react/jsx-dev-runtime",
  "react-dom",
  "react-dom/client",
  "react-router",
  "@radix-ui/themes",
  "lucide-react",
  "match-sorter",
  "diff",
];

// A package that requires another one does so at once: nothing may be left to be loaded by then.
const installed = new Map();
for (const name of PACKAGES) installed.set(name, { ...(await import(Bun.resolveSync(name, import.meta.dir))) });

const { createContext } = installed.get("react");
// What Reflex makes for the page.
installed.set("$/utils/context", {
  initialState: {},
  ColorModeContext: createContext({ rawColorMode: "light", resolvedColorMode: "light", setColorMode: () => {} }),
  EventLoopContext: createContext([() => {}, []]),
});

plugin({
  name: "installed packages",
  setup(build) {
    for (const [name, exports] of installed) build.module(name, () => ({ exports, loader: "object" }));
    build.onLoad({ filter: /\.css(\?inline)?$/ }, () => ({ contents: 'export default "";', loader: "js" }));
  },
});
