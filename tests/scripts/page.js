// Gives the tests a DOM, and has scripts import the packages that are installed here.

import { plugin } from "bun";
import { GlobalRegistrator } from "@happy-dom/global-registrator";

// Fake timers of tests are those of Bun.
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

// Packages require each other synchronously, so all must be loaded by then.
const installed = new Map();
for (const name of PACKAGES) installed.set(name, { ...(await import(Bun.resolveSync(name, import.meta.dir))) });

const { createContext } = installed.get("react");
// Modules that Reflex generates for the page.
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
