// The scrolling list of turns, and the one owner of its scrolling: it follows the end while the reader is there, lets go
// as soon as the reader moves up, and offers a way back down. Of a long conversation the end is there first; more comes in
// front as the reader moves up, and what is being read stays where it is.

import { createElement, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR = 3;
const AHEAD = 1500;

export function Thread({ latest, first, earlier, onEarlier, children }) {
  const view = useRef(null);
  const content = useRef(null);
  const pinned = useRef(true);
  const [away, setAway] = useState(false);
  const more = useRef(() => {});
  const waitingFor = useRef(null);
  const anchor = useRef(null);

  const toEnd = () => {
    view.current.scrollTop = view.current.scrollHeight;
  };

  more.current = () => {
    if (!earlier || waitingFor.current === first || pinned.current || view.current.scrollTop > AHEAD) return;
    waitingFor.current = first;
    const top = view.current.getBoundingClientRect().top;
    const element = [...content.current.querySelectorAll("article")].find(
      (article) => article.getBoundingClientRect().bottom > top,
    );
    anchor.current = element && { element, top: element.getBoundingClientRect().top };
    onEarlier?.();
  };
  useLayoutEffect(() => {
    if (!anchor.current) return;
    const { element, top } = anchor.current;
    anchor.current = null;
    if (element.isConnected) view.current.scrollTop += element.getBoundingClientRect().top - top;
  }, [first]);

  useEffect(() => {
    let before = 0;
    const scrolled = () => {
      const { scrollTop, scrollHeight, clientHeight } = view.current;
      if (scrollHeight - scrollTop - clientHeight <= NEAR) pinned.current = true;
      else if (scrollTop < before - NEAR + 1) pinned.current = false;
      before = scrollTop;
      setAway(!pinned.current);
      if (anchor.current?.element.isConnected)
        anchor.current.top = anchor.current.element.getBoundingClientRect().top;
      more.current();
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
      createElement(
        "div",
        { ref: content, className: "thread-content" },
        earlier && createElement("p", { className: "earlier" }, "Earlier questions are loaded as you scroll up."),
        children,
      ),
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
