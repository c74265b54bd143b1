/** The tests and snippets of Quote's SDK as mods of Midtoken, on the story model and on SmolLM2. In a page: e2e/session/quote-cases.spec.ts. */
import { beforeAll, expect, test } from "vitest";
import { describeBundled, describeInstruct } from "./testing/describe-model.ts";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { actionCases } from "./testing/quote-cases/action-cases.ts";
import { flowCases } from "./testing/quote-cases/flow-cases.ts";
import { questionCases } from "./testing/quote-cases/question-cases.ts";
import {
  outcomeOf,
  problemsOf,
  type QuoteCase,
  quotePrompt,
  quoteTokens,
} from "./testing/quote-cases/quote-case.ts";
import { snippetCases } from "./testing/quote-cases/snippet-cases.ts";
import type { TestModel } from "./testing/test-model.ts";

const cases: readonly QuoteCase[] = [...snippetCases, ...actionCases, ...questionCases, ...flowCases];

for (const describeModel of [describeBundled, describeInstruct]) describeModel(testCases);

function testCases(model: () => TestModel): void {
  const messagesOf = (prompt = quotePrompt) => [{ role: "user", content: prompt }] as const;
  let plain = "";
  beforeAll(async () => {
    plain = (await model().run({ messages: messagesOf(), maxTokens: quoteTokens })).finished.text;
  });

  test.each(cases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const lines: string[] = [];
    const host = inProcessMod(each.source, model().tokenizer, (line) => void lines.push(line));
    const settings = { messages: messagesOf(each.prompt), maxTokens: each.maxTokens ?? quoteTokens };
    const { records } = await model().run(settings, [host]);
    expect(problemsOf(each, outcomeOf(records, lines), plain)).toEqual([]);
  });
}
