/**
 * A button that shows an icon, its child, and is named by `label`; that is its tooltip too unless there is a `title`.
 * @param {{ label: string } & import("react").ComponentProps<"button">} props
 */
export const IconButton = ({ label, className, children, ...rest }) => (
  <button type="button" className={className ? `tool ${className}` : "tool"} aria-label={label} title={label} {...rest}>
    {children}
  </button>
);
