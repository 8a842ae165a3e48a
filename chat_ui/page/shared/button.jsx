/**
 * A button with text as its children; `isPrimary` for the main action.
 * @param {{ isPrimary?: boolean } & import("react").ComponentProps<"button">} props
 */
export const Button = ({ isPrimary, ...rest }) => (
  <button type="button" className={isPrimary ? "button button-primary" : "button"} {...rest} />
);
