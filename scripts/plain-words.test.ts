/** Names of `src`, and comments of `src` and `e2e`, use the words of docs/contributing/style.md. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import {
  countJargon,
  jargonInNames,
  namesIn,
  riddleSentencesBelow,
  riddleSentencesIn,
} from "./plain-words.ts";

const counts = countJargon(resolve(import.meta.dirname, ".."));

test("no name has a private word", () => {
  const tooMany = Array.from(counts).filter(([, { names }]) => names.length > 0);
  expect(tooMany.map(([folder, { names }]) => `${folder}: ${names.join(", ")}`)).toEqual([]);
});

test("no sentence of a comment hides its subject", () => {
  const root = resolve(import.meta.dirname, "..");
  expect(["src", "e2e"].flatMap((folder) => riddleSentencesBelow(root, folder))).toEqual([]);
});

test.each([
  ["src/core/decoder/a.ts", "retellingOf", "heir", "passAhead", "heldHere", "advances", "silence", "hostRow"],
  [
    "src/core/decoder/a.ts",
    "GivenLogits",
    "likeliestTokens",
    "oddsOf",
    "ghostToken",
    "inside",
    "isReinjected",
  ],
  ["src/core/trace/a.ts", "live", "alternativesOf", "carriers", "factsOf", "figures"],
  [
    "src/page/runs/a.ts",
    "kept",
    "visitors",
    "family",
    "takeOver",
    "relatives",
    "savedRequest",
    "wholeRecord",
  ],
  ["src/page/app/offline/a.ts", "answerTo"],
  ["src/package/api/a.ts", "runStore"],
  ["src/runtime/remote/testing/a.ts", "serverAnswer"],
  ["src/runtime/sandbox/a.ts", "spare", "rivalSandbox", "modAnswer"],
  ["src/runtime/engine/storage/a.ts", "filePart", "keeps"],
  ["src/core/base/a.ts", "Steps", "openLine", "tangledRequests", "gives", "wantsText", "textOf"],
])("in %s, words of the list are found", (path, ...names) => {
  const text = names.map((name) => `export const ${name} = 1;\n`).join("");
  expect(jargonInNames(path, text).map((each) => each.split(":")[0])).toEqual(names);
});

test("a private word is found in the name of a file and in exported names, and nowhere else", () => {
  const text = "export const keptModels = 1;\nconst keptHere = 2;\nexport interface HouseKeeper {}\n";
  expect(namesIn("src/page/runs/kept-runs.test.ts", text)).toEqual([
    "kept-runs",
    "keptModels",
    "HouseKeeper",
  ]);
  expect(jargonInNames("src/page/runs/kept-runs.test.ts", text)).toEqual([
    "kept-runs: save, cache, store",
    "keptModels: save, cache, store",
  ]);
});

test("some words are refused in every name of the code, but not in texts, comments and tests", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is source code.
  const text = '// told\nconst isTold = `told ${oddsOf(told)}`;\nf("ghost", likeliest);\n';
  expect(jargonInNames("src/page/runs/a.ts", text).map((each) => each.split(":")[0])).toEqual([
    "isTold",
    "oddsOf",
    "told",
  ]);
  expect(jargonInNames("src/page/runs/a.test.ts", text)).toEqual([]);
});

test("a word that is private in some folders is found there alone", () => {
  const text = "export interface TokenRow {}\n";
  expect(jargonInNames("src/core/decoder/loop/token.ts", text)).toEqual(["TokenRow: logits"]);
  expect(jargonInNames("src/view/ui/token.ts", text)).toEqual([]);
});

test("a sentence that hides its subject is found wherever it stands in a comment", () => {
  const text = `
/** What a step costs. The time of a pass. */
// Of two equal tokens
// the first counts. Whatever comes, stays.
const a = "What is a string?";
/**
 * The token; null: where there is none.
 * @throws Those that a model throws.
 */
`;
  expect(riddleSentencesIn(text)).toEqual([
    "What a step costs",
    "Of two equal tokens the first counts",
    "Those that a model throws",
  ]);
});
