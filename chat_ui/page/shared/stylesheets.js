// Stylesheets that come with a script. A file of their own could fail to load where the script does not.

/** Have the page follow `rules`. */
export function adopt(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets.push(sheet);
}
