// Whether a key was pressed for the page. What an input method needs to compose a word is not: the Enter that ends a
// composition, the Escape that gives it up. Safari ends the composition before it tells of that key, and marks it by
// its code alone.

const OF_INPUT_METHOD = 229;

const composes = (event) => event.isComposing || event.keyCode === OF_INPUT_METHOD;

export const pressed = ({ nativeEvent }, key) => nativeEvent.key === key && !composes(nativeEvent);

/** Have a dialog stay open when its Escape was pressed for an input method. */
export function leaveToInputMethod(event) {
  if (composes(event)) event.preventDefault();
}
