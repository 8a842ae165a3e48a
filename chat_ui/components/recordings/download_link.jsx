// A link to a file: those of the router lead to pages.

export const DownloadLink = ({ href, children }) => (
  <a href={href} download="" className="button">
    {children}
  </a>
);
