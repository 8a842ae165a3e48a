// Tabs with automatic selection by the arrow keys.

/** In a right-to-left page, right and left are swapped. */
export const isMirrored = (element) => getComputedStyle(element).direction === "rtl";

/**
 * The tab of each `name` has the id `PREFIX-tab-NAME`, and controls the element with the id of `panelOf`.
 * @param {{ prefix: string, label: string, tabs: { name: string, label: string, content?: import("react").ReactNode }[],
 *   chosen: string, panelOf: (name: string) => string, onTab: (name: string) => void }} props
 */
export function Tabs({ prefix, label, tabs, chosen, panelOf, onTab }) {
  const key = (event) => {
    const places = [...event.currentTarget.children];
    const at = places.indexOf(event.target);
    const forward = isMirrored(event.target) ? -1 : 1;
    const to = { ArrowRight: at + forward, ArrowLeft: at - forward, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = places.at(to % places.length);
    next.focus();
    onTab(next.value);
  };
  return (
    <div className={`${prefix}-tabs`} role="tablist" aria-label={label} onKeyDown={key}>
      {tabs.map(({ name, label: words, content }) => (
        <button
          key={name}
          type="button"
          role="tab"
          value={name}
          id={`${prefix}-tab-${name}`}
          aria-selected={name === chosen}
          aria-controls={panelOf(name)}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onTab(name)}
        >
          {words}
          {content}
        </button>
      ))}
    </div>
  );
}
