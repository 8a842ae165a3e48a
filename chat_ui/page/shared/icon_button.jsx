/**
 * A button that shows the icon `sign`, of so many pixels, before its children. It is named by `label`; that is its tooltip
 * too unless there is a `title`.
 * @param {{ label: string, sign?: import("lucide-react").LucideIcon, size?: number }
 *   & import("react").ComponentProps<"button">} props
 */
export const IconButton = ({ label, sign: Sign, size = 16, className, children, ...rest }) => (
  <button type="button" className={className ? `tool ${className}` : "tool"} aria-label={label} title={label} {...rest}>
    {Sign && <Sign size={size} aria-hidden />}
    {children}
  </button>
);
