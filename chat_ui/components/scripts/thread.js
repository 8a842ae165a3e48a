// The scrolling list of turns, and the one owner of its scrolling: it follows the end while the reader is there, lets go
// as soon as the reader moves up, and offers a way back down.

import { createElement, useEffect, useRef, useState } from "react";

const NEAR = 3;

export function Thread({ latest, children }) {
  const view = useRef(null);
  const content = useRef(null);
  const pinned = useRef(true);
  const [away, setAway] = useState(false);

  const toEnd = () => {
    view.current.scrollTop = view.current.scrollHeight;
  };

  useEffect(() => {
    let before = 0;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = view.current;
      if (scrollHeight - scrollTop - clientHeight <= NEAR) pinned.current = true;
      else if (scrollTop < before - NEAR + 1) pinned.current = false;
      before = scrollTop;
      setAway(!pinned.current);
    };
    const grown = new ResizeObserver(() => {
      if (pinned.current) toEnd();
    });
    grown.observe(content.current);
    grown.observe(view.current);
    view.current.addEventListener("scroll", scrolled, { passive: true });
    return () => grown.disconnect();
  }, []);

  useEffect(() => {
    pinned.current = true;
    setAway(false);
    toEnd();
  }, [latest]);

  return createElement(
    "div",
    { className: "thread-frame" },
    createElement(
      "div",
      { ref: view, className: "thread", role: "log", "aria-label": "Conversation", "aria-live": "off", tabIndex: 0 },
      createElement("div", { ref: content, className: "thread-content" }, children),
    ),
    away &&
      createElement(
        "button",
        {
          type: "button",
          className: "to-latest",
          onClick: () => {
            pinned.current = true;
            setAway(false);
            view.current.scrollTo({
              top: view.current.scrollHeight,
              behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth",
            });
          },
        },
        "Go to the latest text",
      ),
  );
}
