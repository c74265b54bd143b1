/** The prompt that the model read, shown after a mod rewrote it: special tokens look different from text. */
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { requestRecord } from "../../core/trace/testing/trace-builder.ts";
import { PromptLine } from "./prompt-line.tsx";

const startName = "<|im_start|>";

/** A prompt that a mod rewrote, from the texts of its tokens and the places of the special ones. */
function markup(texts: readonly string[], special?: readonly number[]): string {
  const trace = createTraceModel();
  const tokens = texts.map((text, token) => ({ token, text }));
  trace.append([
    requestRecord({ messages: [{ role: "user", content: "Hello" }] }),
    { type: "prefilled", timeUs: 1, tokens, originalLength: 9, ...(special && { special }) },
  ]);
  return renderToStaticMarkup(<PromptLine trace={trace} />);
}

const specialIn = (html: string) => [...html.matchAll(/<span class="special-token"[^>]*>([^<]*)/g)].length;

test("special tokens are marked, and the same name that somebody typed is not", () => {
  const html = markup([startName, "user\n", "<|im", "_start|>"], [0]);
  expect(html).toContain(
    '<q translate="no"><span class="special-token" title="special token">&lt;|im_start|&gt;</span>user\n&lt;|im_start|&gt;</q>',
  );
});

test("a recording without places of special tokens shows the text alone", () => {
  expect(markup([startName, "user"])).toContain('<q translate="no">&lt;|im_start|&gt;user</q>');
});

test("a very long prompt is cut, and only its first special tokens are marked", () => {
  const many = Array.from({ length: 5_000 }, () => startName);
  const html = markup(many, [...many.keys()]);
  expect(specialIn(html)).toBe(200);
  expect(html).toContain("… (the rest is not shown)");
});
