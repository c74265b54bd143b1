/** Runs the tests and snippets of Quote's SDK as mods of Midtoken, one test each. */
import { beforeAll, expect, test } from "vitest";
import { inProcessMod } from "../in-process-mod.ts";
import type { RealTestModel } from "../test-model.ts";
import { actionCases } from "./action-cases.ts";
import { flowCases } from "./flow-cases.ts";
import { questionCases } from "./question-cases.ts";
import { outcomeOf, problemsOf, type QuoteSdkCase, quoteSdkMaxTokens, quoteSdkPrompt } from "./quote-case.ts";
import { snippetCases } from "./snippet-cases.ts";

const cases: readonly QuoteSdkCase[] = [...snippetCases, ...actionCases, ...questionCases, ...flowCases];

/** @param maxTokens of the cases that name no limit of their own; what a mod does stands at the beginning of the output */
export function testQuoteSdkCases(model: () => RealTestModel, maxTokens = quoteSdkMaxTokens): void {
  const messagesOf = (prompt = quoteSdkPrompt) => [{ role: "user", content: prompt }] as const;
  let plain = "";
  beforeAll(async () => {
    plain = (await model().run({ messages: messagesOf(), maxTokens })).finished.text;
  });

  test.each(cases.map((each) => [each.name, each] as const))("%s", async (_, each) => {
    const lines: string[] = [];
    const host = inProcessMod(each.source, model().tokenizer, (line) => void lines.push(line));
    const settings = { messages: messagesOf(each.prompt), maxTokens: each.maxTokens ?? maxTokens };
    const { records } = await model().run(settings, [host]);
    expect(problemsOf(each, outcomeOf(records, lines), plain)).toEqual([]);
  });
}
