/**
 * `npm run bench -- answers [--json] [--seeds N] [--tokens N] [--cases NAME,…] [--questions N] [--order ORDER] [--only greedy,sampled] [--done FILE]`:
 * what SmolLM2 answers to everyday requests (twelve schemas, N questions for each, 1 to 10) under a constraint, greedy and then with N seeds at temperature 0.8, and what
 * the model answers without a constraint.
 * `--white-space` (compact, spaced, usual, free) and `--spelling` (own, any) compare other ways to constrain the ten schemas that
 * are not of tools. `--done FILE` keeps all answers in a file: a bench that was stopped goes on there. Needs `MIDTOKEN_MODELS`.
 */
import { parseArgs } from "node:util";
import type { PropertyOrder } from "../../src/core/sdk/request.ts";
import { answerRows } from "./answers/rows.ts";
import { spellings, whiteSpaces } from "./answers/variant-mod.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    only: { type: "string" },
    seeds: { type: "string", default: "0" },
    tokens: { type: "string", default: "120" },
    questions: { type: "string", default: "1" },
    cases: { type: "string" },
    done: { type: "string" },
    "white-space": { type: "string" },
    spelling: { type: "string" },
    order: { type: "string", default: "required" },
  },
});
for (const name of ["seeds", "tokens", "questions"] as const) {
  if (/^\d+$/.test(options[name])) continue;
  console.error(`--${name} is ${options[name]}. Give a whole number.`);
  process.exit(2);
}
const isVariant = options["white-space"] !== undefined || options.spelling !== undefined;
const variant = {
  order: options.order as PropertyOrder,
  whiteSpace: oneOf("white-space", options["white-space"] ?? "spaced", whiteSpaces),
  spelling: oneOf("spelling", options.spelling ?? "own", spellings),
};
const asked = {
  maxTokens: Number(options.tokens),
  cases: options.cases?.split(",") ?? null,
  questions: Number(options.questions),
  doneFile: options.done ?? null,
  order: options.order as PropertyOrder,
  variant: isVariant ? variant : null,
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

function oneOf<Value extends string>(name: string, value: string, values: readonly Value[]): Value {
  const found = values.find((each) => each === value);
  if (found !== undefined) return found;
  console.error(`--${name} is ${value}. Give one of ${values.join(", ")}.`);
  process.exit(2);
}
