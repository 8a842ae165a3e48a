// PostCSS at the build: removes the rules of unused components of Radix Themes, and of values for single widths of the
// window, which the page does not set. The steps of colours that `tokens.css` has for documents are removed as well.

const COMPONENT = /\.rt-([A-Z][A-Za-z]*)/g;
const USED = /^(?:Base)?(?:Dialog|DropdownMenu|Menu|Heading|ScrollArea|Switch|TabList|TabNav|Tabs|Text(?!Area|Field))/;

const OF_DOCUMENTS = ":where(:root)";
const OF_A_WIDTH = /\.(?:xs|sm|md|lg|xl)\\:rt-/;

const isUsed = (selector) =>
  selector !== OF_DOCUMENTS &&
  !OF_A_WIDTH.test(selector) &&
  [...selector.matchAll(COMPONENT)].every(([, name]) => USED.test(name));

const usedThemes = () => ({
  postcssPlugin: "used-themes",
  Once(root) {
    root.walkRules((rule) => {
      const used = rule.selectors.filter(isUsed);
      if (!used.length) rule.remove();
      else if (used.length < rule.selectors.length) rule.selectors = used;
    });
    root.walkAtRules((rule) => {
      if (rule.nodes?.length === 0) rule.remove();
    });
  },
});
usedThemes.postcss = true;

export default usedThemes;
