/**
 * The tests and snippets of Quote's SDK as mods of Midtoken, in sandboxes of one page: all on the story model, a few on SmolLM2.
 * In Node, all on both models: src/page/examples/quote-cases.test.ts and quote-cases.instruct.test.ts.
 */
import { expect, type Page } from "@playwright/test";
import { modelsFolder } from "../../scripts/models-folder.ts";
import { actionCases } from "../../src/page/examples/testing/quote-cases/action-cases.ts";
import { flowCases } from "../../src/page/examples/testing/quote-cases/flow-cases.ts";
import { questionCases } from "../../src/page/examples/testing/quote-cases/question-cases.ts";
import {
  outcomeOf,
  problemsOf,
  type QuoteSdkCase,
  quoteSdkMaxTokens,
  quoteSdkPrompt,
} from "../../src/page/examples/testing/quote-cases/quote-case.ts";
import { snippetCases } from "../../src/page/examples/testing/quote-cases/snippet-cases.ts";
import { testsOnOnePage } from "../shared-page.ts";

const test = testsOnOnePage("/e2e/session/session.html", "midtoken");

/** A busy machine gives a mod little time. */
const patient = { load: 60_000, prefilled: 60_000, event: 60_000 };

const cases: readonly QuoteSdkCase[] = [...snippetCases, ...actionCases, ...questionCases, ...flowCases];

/**
 * One case for each way between a sandbox and an engine with a large vocabulary, which only a browser has: an edited prompt, a
 * list of logits, a removed token, a tool call, masks of 49,152 bits, forced tokens and hidden text that is removed again.
 */
const largeVocabularyCases = [
  "prefilled/adjust_prefill",
  "forward_pass/adjust_logits",
  "forward_pass/backtrack",
  "added/tool_calls",
  "test_strategies/list_two_token_open",
  "test_self_prompt/erase_all_with_completion",
  "test_flow_engine/mixed_strategies",
  "test_flow_engine/route_tool: the callback is called once",
];

test("every test and every snippet of Quote's holds in the page", async ({ page }) => {
  test.slow();
  await page.evaluate(() => window.midtoken.load("wasm"));
  expect(await problemsIn(page, cases)).toEqual([]);
});

test("each kind of action of Quote's holds in the page on SmolLM2", async ({ page }) => {
  test.skip(!modelsFolder(), "no MIDTOKEN_MODELS");
  test.slow();
  const chosen = cases.filter(({ name }) => largeVocabularyCases.includes(name));
  expect(chosen).toHaveLength(largeVocabularyCases.length);
  await page.evaluate(() => window.midtoken.load("wasm", "/shared-models/smollm2-135m-instruct/", "int8"));
  expect(await problemsIn(page, chosen)).toEqual([]);
});

/** Runs cases on the loaded model. Returns the problems, each with the name of its case. */
async function problemsIn(page: Page, asked: readonly QuoteSdkCase[]): Promise<readonly string[]> {
  const outputOf = async (prompt: string, source?: string, maxTokens = quoteSdkMaxTokens) => {
    const mods = source === undefined ? [] : [{ name: "mod", source }];
    const messages = [{ role: "user" as const, content: prompt }];
    const changes = { messages, maxTokens, deadlines: patient };
    const request = [mods, changes] as const;
    return page.evaluate(([given, about]) => window.midtoken.run(given, about), request);
  };
  const plain = (await outputOf(quoteSdkPrompt)).text;
  const problems: string[] = [];
  for (const each of asked) {
    const { records } = await outputOf(each.prompt ?? quoteSdkPrompt, each.source, each.maxTokens);
    problems.push(...problemsOf(each, outcomeOf(records), plain).map((text) => `${each.name}: ${text}`));
  }
  return problems;
}
