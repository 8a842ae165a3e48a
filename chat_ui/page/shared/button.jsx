/**
 * A button with words, its children; `isPrimary` where it does what the page is about.
 * @param {{ isPrimary?: boolean } & import("react").ComponentProps<"button">} props
 */
export const Button = ({ isPrimary, ...rest }) => (
  <button type="button" className={isPrimary ? "button button-primary" : "button"} {...rest} />
);
