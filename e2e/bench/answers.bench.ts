/**
 * `npm run bench -- answers [--json] [--seeds N] [--tokens N] [--cases NAME,…] [--order ORDER]
 * [--free FILE]`: what SmolLM2 answers to twelve
 * everyday requests under a constraint, greedy and then with N seeds at temperature 0.8, and what it answers without one.
 * `--free FILE` keeps the answers without constraint in a file, since they do not change with the mask engine.
 * Needs `MIDTOKEN_MODELS`.
 */
import { parseArgs } from "node:util";
import type { PropertyOrder } from "../../src/core/sdk/request.ts";
import { answerRows } from "./answers/rows.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    seeds: { type: "string", default: "0" },
    tokens: { type: "string", default: "120" },
    cases: { type: "string" },
    free: { type: "string" },
    order: { type: "string", default: "required" },
  },
});
for (const name of ["seeds", "tokens"] as const) {
  if (/^\d+$/.test(options[name])) continue;
  console.error(`--${name} is ${options[name]}. Give a whole number.`);
  process.exit(2);
}
const asked = {
  maxTokens: Number(options.tokens),
  cases: options.cases?.split(",") ?? null,
  freeFile: options.free ?? null,
  order: options.order as PropertyOrder,
};
const seeds = Array.from({ length: Number(options.seeds) }, (_, index) => index + 1);
await runSections(
  "answers",
  {
    greedy: () => answerRows({ ...asked, seeds: [null] }),
    ...(seeds.length > 0 && { sampled: () => answerRows({ ...asked, seeds }) }),
  },
  options,
);
