// A React chat page as in common guides: each delta goes into state, and unchanged blocks are not rendered again.

import { marked } from "marked";
import { memo, useState } from "react";
import { createRoot } from "react-dom/client";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

const Block = memo(({ text }) => <Markdown remarkPlugins={PLUGINS}>{text}</Markdown>);

const Turn = memo(({ role, content }) => (
  <article className={role}>
    {role === "user" ? content : marked.lexer(content).map(({ raw }, index) => <Block key={index} text={raw} />)}
  </article>
));

async function* deltas(messages) {
  const response = await fetch("/chat/stream", { method: "POST", body: JSON.stringify({ messages }) });
  let waiting = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (waiting + text).split("\n");
    waiting = lines.pop();
    for (const line of lines) yield JSON.parse(line).delta.content ?? "";
  }
}

function Chat() {
  const [turns, setTurns] = useState([]);
  const [question, setQuestion] = useState("");

  const ask = async () => {
    const asked = [...turns, { role: "user", content: question }];
    let content = "";
    setQuestion("");
    setTurns(asked);
    for await (const delta of deltas(asked)) {
      content += delta;
      setTurns([...asked, { role: "assistant", content }]);
    }
  };
  const press = (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    ask();
  };
  return (
    <>
      {/* Laid out from its end, so that the browser follows the text without a script. */}
      <main style={{ height: "85vh", overflowY: "auto", display: "flex", flexDirection: "column-reverse" }}>
        <div style={{ maxWidth: "44rem", margin: "0 auto" }}>
          {turns.map((turn, index) => (
            <Turn key={index} {...turn} />
          ))}
        </div>
      </main>
      <textarea aria-label="Message" value={question} onChange={(e) => setQuestion(e.target.value)} onKeyDown={press} />
    </>
  );
}

createRoot(document.getElementById("root")).render(<Chat />);
