// Whether a key was pressed for the page. A key that an input method needs is not: the Enter that ends a composition, the
// Escape that cancels it. Safari ends the composition before the event of that key, and marks the event by its code alone.

const OF_INPUT_METHOD = 229;

const composes = (event) => event.isComposing || event.keyCode === OF_INPUT_METHOD;

export const pressed = ({ nativeEvent }, key) => nativeEvent.key === key && !composes(nativeEvent);

/** Have a dialog stay open when its Escape was pressed for an input method. */
export function leaveToInputMethod(event) {
  if (composes(event)) event.preventDefault();
}
