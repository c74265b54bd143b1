/** The tests and snippets of Quote's SDK as mods of Midtoken, in sandboxes of one page, on the story model and on SmolLM2. In Node: src/page/examples/quote-cases.test.ts and quote-cases.instruct.test.ts. */
import { expect, type Page } from "@playwright/test";
import { modelsFolder } from "../../scripts/models-folder.ts";
import { actionCases } from "../../src/page/examples/testing/quote-cases/action-cases.ts";
import { flowCases } from "../../src/page/examples/testing/quote-cases/flow-cases.ts";
import { questionCases } from "../../src/page/examples/testing/quote-cases/question-cases.ts";
import {
  outcomeOf,
  problemsOf,
  quoteSdkMaxTokens,
  quoteSdkPrompt,
} from "../../src/page/examples/testing/quote-cases/quote-case.ts";
import { snippetCases } from "../../src/page/examples/testing/quote-cases/snippet-cases.ts";
import { testsOnOnePage } from "../shared-page.ts";

const test = testsOnOnePage("/e2e/session/session.html", "midtoken");

/** A busy machine gives a mod little time. */
const patient = { load: 60_000, prefilled: 60_000, event: 60_000 };

test("every test and every snippet of Quote's holds in the page", async ({ page }) => {
  test.slow();
  await page.evaluate(() => window.midtoken.load("wasm"));
  expect(await problemsIn(page)).toEqual([]);
});

test("every test and every snippet of Quote's holds in the page on SmolLM2", async ({ page }) => {
  test.skip(!modelsFolder(), "no MIDTOKEN_MODELS");
  test.setTimeout(1_200_000);
  await page.evaluate(() => window.midtoken.load("wasm", "/shared-models/smollm2-135m-instruct/", "int8"));
  expect(await problemsIn(page)).toEqual([]);
});

/** Runs all cases on the loaded model. Returns the problems, each with the name of its case. */
async function problemsIn(page: Page): Promise<readonly string[]> {
  const run = async (prompt: string, source?: string, maxTokens = quoteSdkMaxTokens) => {
    const mods = source === undefined ? [] : [{ name: "mod", source }];
    const messages = [{ role: "user" as const, content: prompt }];
    const changes = { messages, maxTokens, deadlines: patient };
    const asked = [mods, changes] as const;
    return page.evaluate(([given, about]) => window.midtoken.run(given, about), asked);
  };
  const plain = (await run(quoteSdkPrompt)).text;
  const problems: string[] = [];
  for (const each of [...snippetCases, ...actionCases, ...questionCases, ...flowCases]) {
    const { records } = await run(each.prompt ?? quoteSdkPrompt, each.source, each.maxTokens);
    problems.push(...problemsOf(each, outcomeOf(records), plain).map((text) => `${each.name}: ${text}`));
  }
  return problems;
}
