// @vitest-environment happy-dom
/**
 * Recorded texts in sentences, tables and marks do not reorder other text, are not translated by browsers, and are never shown
 * as U+FFFD for bytes.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { selectionAfterClick } from "../../core/trace/model/selection.ts";
import { createTraceModel, type TraceModel } from "../../core/trace/model/trace-model.ts";
import { describeToken } from "../../core/trace/model/trace-text.ts";
import { banOfOne, createTraceBuilder, requestRecord } from "../../core/trace/testing/trace-builder.ts";
import { findOnly, render, waitUntilPasses } from "../ui/testing/render.ts";
import { TokenRibbon } from "./ribbon/ribbon.tsx";
import { authorshipOf } from "./ribbon/ribbon-cells.ts";
import { RunEndNotice } from "./run-end/run-end.tsx";
import { StepInspector } from "./step/step-inspector.tsx";
import { Transcript, transcriptPageLimits } from "./transcript.tsx";

/** "Once", the token `chosen` in place of `other`, which the mod made less likely, and `removed`, which the mod replaced by `put`. */
function modelWith({ chosen, other, removed, put }: Record<"chosen" | "other" | "removed" | "put", string>) {
  const token = (text: string, id: number) => ({ token: id, text });
  const choices = (first: string, second: string) => ({
    entropy: 1,
    top: [
      { token: 8, text: first, logprob: Math.log(0.6) },
      { token: 9, text: second, logprob: Math.log(0.3) },
    ],
  });
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "swap", source: "" }] }));
  builder.prefill([token("x", 1)]);
  builder.forward(choices("Once", "Two"));
  builder.sample(token("Once", 8), {});
  builder.add([token("Once", 8)], "sampled");
  builder.forward(choices(other, chosen));
  builder.call(0, "forwardPass", banOfOne);
  builder.adjust(choices(chosen, other));
  builder.sample(token(chosen, 9), { counterfactual: token(other, 8) });
  builder.add([token(chosen, 9)], "sampled");
  builder.forward(choices(removed, " a"));
  builder.sample(token(removed, 8), {});
  builder.add([token(removed, 8)], "sampled");
  builder.call(0, "added", { type: "backtrack", count: 1, tokens: [5], text: put, cut: 0 });
  builder.backtrack(0, 1, 1);
  builder.add([token(put, 5)], "reinjected", { mod: 0 });
  const trace = createTraceModel();
  trace.append(builder.finish("stop", { lengthLimit: null, error: null }).records);
  return trace;
}

const nothing = () => {};

function Step({ trace, index }: { trace: TraceModel; index: number }) {
  return (
    <StepInspector
      trace={trace}
      version={1}
      selection={selectionAfterClick(null, index, false)}
      onOpenSource={null}
      onBranch={null}
    />
  );
}

function Everything({ trace }: { trace: TraceModel }) {
  return (
    <>
      <TokenRibbon
        trace={trace}
        version={1}
        running={false}
        selection={null}
        shade={false}
        folded={false}
        hidesSame={false}
        below={null}
        onSelect={nothing}
      />
      {trace.tokens.text.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of an ended run stay in their places
        <Step key={index} trace={trace} index={index} />
      ))}
      <Transcript trace={trace} version={1} selection={null} most={transcriptPageLimits.panel} />
      <RunEndNotice
        trace={trace}
        failure={null}
        interrupted={false}
        canRun
        authorship={authorshipOf(trace)}
      />
    </>
  );
}

const hebrew = modelWith({ chosen: " שלום", other: " עולם", removed: " בית", put: " ספר" });

/** The texts on the page, each with its element. */
function texts(root: HTMLElement): { readonly text: string; readonly element: Element }[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.parentElement) found.push({ text: node.textContent ?? "", element: node.parentElement });
  return found;
}

const recorded = /[\u0590-\u05ff]/;

test("Hebrew in a sentence is isolated, so that the words after it keep their places", async () => {
  const root = await render(<Everything trace={hebrew} />);
  await waitUntilPasses(() => expect(root.textContent).toContain("would have written"));
  const inSentences = texts(root).filter(
    ({ text, element }) => recorded.test(text) && !element.closest('[translate="no"]'),
  );
  expect(inSentences.length).toBeGreaterThan(3);
  for (const { text } of inSentences)
    expect(text.replaceAll(/\u2068[^\u2068\u2069]*\u2069/g, ""), text).not.toMatch(recorded);
  for (const index of hebrew.tokens.text.keys())
    expect(describeToken(hebrew, index).replaceAll(/\u2068[^\u2069]*\u2069/g, "")).not.toMatch(recorded);
});

test("a recorded text that stands by itself is marked as not to be translated", async () => {
  const root = await render(<Everything trace={hebrew} />);
  await waitUntilPasses(() => findOnly(".transcript-text", root));
  for (const selector of [".inspector-token", ".alternative-text", ".transcript-text", "[data-index]"]) {
    const elements = [...root.querySelectorAll(selector)];
    expect(elements.length, selector).toBeGreaterThan(0);
    for (const element of elements) expect(element.closest('[translate="no"]'), selector).not.toBeNull();
  }
});

test("a token with a part of a character is named by words, not by a sign", async () => {
  const trace = modelWith({ chosen: "", other: "\ufffd\ufffd", removed: "", put: " ok" });
  const root = await render(<Everything trace={trace} />);
  await waitUntilPasses(() => expect(root.textContent).toContain("part of a character"));
  const signs = texts(root).filter(({ text }) => text.includes("\ufffd"));
  expect([...root.querySelectorAll(".inspector-token")][1]?.textContent).toBe("part of a character");
  expect(signs.map(({ text, element }) => `${element.className}: ${text}`)).toEqual([]);
});

test("the tag of a counterfactual stands after its token, in a line of its own where the row is narrow", async () => {
  const root = await render(<Step trace={hebrew} index={1} />);
  const tag = await waitUntilPasses(() => findOnly(".alternative-counterfactual .tag", root));
  expect(tag.textContent).toBe("without mods");
  expect(tag.closest("th")?.textContent).toContain("עולם");
  const css = readFileSync("src/view/timeline/step/step-inspector.css", "utf8");
  const rulesOf = (selector: string) => css.split(`\n  ${selector} {`)[1]?.split("}")[0] ?? "";
  // A line break may come before the tag, but not inside it.
  expect(rulesOf("tbody th")).not.toContain("white-space");
  expect(rulesOf(".tag")).toMatch(/display: inline-block;\s+white-space: nowrap;/);
});
