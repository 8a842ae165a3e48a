/**
 * An alert with these `words`, while there are any, and its children after them.
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
