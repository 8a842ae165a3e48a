/**
 * A button with text as its children; `isPrimary` for the main action.
 * @param {{ isPrimary?: boolean } & import("react").ComponentProps<"button">} props
 */
export const Button = ({ isPrimary, ...rest }) => (
  <button type="button" className={isPrimary ? "button button-primary" : "button"} {...rest} />
);

/**
 * A button with the icon `sign`, of `size` pixels, before its children. `label` is its name, and its tooltip unless
 * there is a `title`.
 * @param {{ label: string, sign?: import("lucide-react").LucideIcon, size?: number }
 *   & import("react").ComponentProps<"button">} props
 */
export const IconButton = ({ label, sign: Sign, size = 16, className, children, ...rest }) => (
  <button type="button" className={className ? `tool ${className}` : "tool"} aria-label={label} title={label} {...rest}>
    {Sign && <Sign size={size} aria-hidden />}
    {children}
  </button>
);
