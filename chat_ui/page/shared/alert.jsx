/**
 * An alert with these `words`, if any, followed by its children.
 * @param {{ words: import("react").ReactNode, className?: string, children?: import("react").ReactNode }} props
 */
export const Alert = ({ words, className, children }) =>
  words && (
    <p role="alert" className={className}>
      {words}
      {children && " "}
      {children}
    </p>
  );
