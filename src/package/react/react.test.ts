/** On a server the React components render markup that the browser fills, and nothing else. */
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { TokenTimeline, useChatCompletion, useEngine } from "./index.ts";

test("a server renders the empty element with its attributes", () => {
  const html = renderToString(
    createElement(TokenTimeline, {
      src: "/run.trace",
      view: "full",
      theme: "dark",
      shade: true,
      fold: false,
      className: "mine",
      style: { height: 300 },
    }),
  );
  expect(html).toMatch(/^<token-timeline [^>]*><\/token-timeline>$/);
  for (const attribute of [
    'src="/run.trace"',
    'view="full"',
    'theme="dark"',
    "shade=",
    'class="mine"',
    "height:300px",
  ])
    expect(html).toContain(attribute);
  expect(html).not.toContain("fold");
});

test("a server loads no model and asks nothing", () => {
  function App() {
    const { engine, progress, error } = useEngine({ model: "https://example.org/model/" });
    const { status, text } = useChatCompletion(engine);
    return createElement("p", null, JSON.stringify({ engine, progress, error, status, text }));
  }
  const html = renderToString(createElement(App)).replaceAll("&quot;", '"');
  expect(html).toContain('{"engine":null,"progress":null,"error":null,"status":"idle","text":""}');
});
