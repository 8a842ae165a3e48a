// Stylesheets within scripts. A separate file could fail to load even if the script loads.

/** Add `rules` to the page. */
export function adopt(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
}
